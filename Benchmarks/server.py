#!/usr/bin/env python3
"""apns-server and the bare C sink under the same h2load, round after round: CPU of the server for each request.

usage: server.py BIN WORK (WORK as Benchmarks/run prepares it)
"""
import base64
import json
import os
import signal
import statistics
import subprocess
import sys
import time

ROUNDS, REQUESTS = 5, 200_000
TOKEN = "a1b2c3d4" * 8


def provider_token(key):
    part = lambda value: base64.urlsafe_b64encode(value).rstrip(b"=")
    text = part(json.dumps({"alg": "ES256", "kid": "ABCDE12345"}).encode()) + b"." + part(
        json.dumps({"iss": "FGHIJ67890", "iat": int(time.time())}).encode())
    # DER in place of r and s: APNs takes both.
    signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=text, capture_output=True, check=True)
    return (text + b"." + part(signature.stdout)).decode()


def cpu(pid):
    with open(f"/proc/{pid}/stat") as facts:
        fields = facts.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid):
    with open(f"/proc/{pid}/status") as facts:
        for line in facts:
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    return 0


def load(port, token, body, connections=4, streams=100, count=REQUESTS):
    command = ["h2load", "-n", str(count), "-c", str(connections), "-m", str(streams), "-d", body]
    for name, value in [("authorization", "bearer " + token), ("apns-topic", "com.example.app"),
                        ("apns-push-type", "alert"), ("apns-priority", "10")]:
        command += ["-H", f"{name}: {value}"]
    found = subprocess.run(command + [f"https://localhost:{port}/3/device/{TOKEN}"], capture_output=True, text=True,
                           check=True)
    done = [line for line in found.stdout.splitlines() if line.startswith("status codes")][0]
    rate = [line for line in found.stdout.splitlines() if line.startswith("finished in")][0]
    return f"{count} 2xx" in done, float(rate.split(",")[1].split()[0])


def main():
    folder, work = sys.argv[1:3]
    key, body = f"{work}/AuthKey_ABCDE12345.p8", f"{work}/body.json"
    token = provider_token(key)
    start = time.perf_counter()
    ours = subprocess.Popen([f"{folder}/apns-server", "--bind", "127.0.0.1", "--key", key, "--team-id", "FGHIJ67890",
                             "--received", "/dev/null"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    first = json.loads(ours.stdout.readline())
    ready = time.perf_counter() - start
    sink = subprocess.Popen([f"{work}/sink", f"{work}/cert.pem", f"{work}/key.pem", "-m", "1000"], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)
    port = first["listening"]["port"] if isinstance(first.get("listening"), dict) else first["port"]
    ports = {"ours": (ours.pid, port), "sink": (sink.pid, int(sink.stdout.readline()))}
    spent = {"ours": [], "sink": []}
    rates, good = [], True
    try:
        for _ in range(ROUNDS):
            for name, (pid, port) in ports.items():
                before = cpu(pid)
                fine, rate = load(port, token, body)
                spent[name].append((cpu(pid) - before) / REQUESTS * 1e6)
                if name == "ours":
                    rates.append(rate)
                    good = good and fine
        ours_us, sink_us = statistics.median(spent["ours"]), statistics.median(spent["sink"])
        print(f"  {'apns-server, ready after':<58} {ready * 1000:>10.1f} ms       {'':<34} aim 50")
        print(f"  {'apns-server, CPU each' + ('' if good else ' (NOT ALL ACCEPTED)'):<58} {ours_us:>10.2f} us       "
              f"{f'{ours_us / sink_us:.2f} of the sink ({sink_us:.2f} us)':<34} aim 2.5")
        print(f"  {'apns-server, rate on one core':<58} {1e6 / ours_us:>10.0f} /s       "
              f"{f'{statistics.median(rates):.0f}/s with h2load beside it':<34} aim 100000")
        load(ports["ours"][1], token, body, connections=1000, streams=1, count=20_000)
        print(f"  {'apns-server, resident with 1000 connections':<58} {resident(ours.pid):>10.1f} MiB      {'':<34} aim 64")
    finally:
        for process in (ours, sink):
            process.send_signal(signal.SIGTERM)
            process.wait()


main()
