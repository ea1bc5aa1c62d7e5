#!/usr/bin/env python3
"""Makes the inputs of the benchmarks, the same each time.

usage: inputs.py payloads|records|table|feedback N > FILE

payloads: an APNs payload a line, some 250 bytes, a tenth of them with unescaped text beyond ASCII
records:  a notification record a line around such a payload
table:    CSV with a header row: token, name, city
feedback: tuples of the feedback service, binary
"""
import json
import random
import struct
import sys
import uuid

TITLES = ["Order shipped", "New message from Ana", "Meeting in 10 minutes", "Nouveau message", "新しいメッセージ",
          "Счёт оплачен", "Goal! 2–1", "Flight LH 454 is late", "🎉 Level 12", "Battery low", "Table for two"]
BODIES = ["Parcel {n}-77 left the depot and arrives on Thursday between 9 and 11.",
          "Are we still on for {n}? I can bring the slides and the \"blue\" folder.",
          "Wir haben Ihre Zahlung über {n} € erhalten. Vielen Dank für Ihren Einkauf!",
          "{n}件の新着メッセージがあります。アプリを開いて確認してください。",
          "Оплата заказа №{n} прошла успешно. Спасибо за покупку!",
          "A new sign-in from 192.0.2.{n} (Linux, Firefox).\nIf this was not you, change your password.",
          "Sensor {n} in the basement reports 11% charge."]
WORDS = ["orders", "chat", "calendar", "news", "bank", "sport", "travel", "security", "game", "home"]
CITIES = ["Lisboa", "Köln", "上海", "Москва", "Wien", "São Paulo", "Ulm", "Genève"]


def payload(dice):
    number = dice.randrange(1, 10000)
    aps = {"alert": {"title": dice.choice(TITLES), "body": dice.choice(BODIES).replace("{n}", str(number))}}
    if dice.random() < 0.7:
        aps["badge"] = dice.randrange(40)
    if dice.random() < 0.8:
        aps["sound"] = dice.choice(["default", "chime.caf", "bell.aiff"])
    if dice.random() < 0.7:
        aps["thread-id"] = dice.choice(WORDS)
    if dice.random() < 0.3:
        aps["mutable-content"] = 1
    body = {"aps": aps}
    if dice.random() < 0.8:
        body["order"] = {"id": dice.randrange(10**9), "status": dice.choice(["new", "paid", "shipped"]),
                         "total": round(dice.random() * 200, 2)}
    if dice.random() < 0.3:
        body["url"] = f"https://example.com/o/{number}?from=push"
    if dice.random() < 0.2:
        body["tags"] = [dice.choice(WORDS) for _ in range(dice.randrange(1, 4))]
    return json.dumps(body, ensure_ascii=dice.random() >= 0.1, separators=(",", ":"))


def main():
    kind, count = sys.argv[1], int(sys.argv[2])
    dice = random.Random(f"apns-tools {kind}")
    out = sys.stdout.buffer
    if kind == "table":
        out.write(b"token,name,city\n")
    for number in range(count):
        token = f"{dice.getrandbits(256):064x}"
        if kind == "payloads":
            out.write(payload(dice).encode() + b"\n")
        elif kind == "records":
            name = uuid.UUID(int=dice.getrandbits(128), version=4)
            out.write((f'{{"token":"{token}","id":"{name}","topic":"com.example.app","push_type":"alert",'
                       f'"priority":10,"payload":{payload(dice)}}}\n').encode())
        elif kind == "table":
            out.write(f"{token},Person {number},{dice.choice(CITIES)}\n".encode())
        elif kind == "feedback":
            out.write(struct.pack(">IH", 1700000000 + dice.randrange(10**7), 32) + bytes.fromhex(token))
        else:
            sys.exit(__doc__)


main()
