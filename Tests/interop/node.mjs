// Node's http2: many streams at once, a refusal, a GOAWAY.
import http2 from "node:http2";
import fs from "node:fs";
import crypto from "node:crypto";

const env = process.env;
const base64url = (value) => Buffer.from(value).toString("base64url");
const input =
  base64url(JSON.stringify({ alg: "ES256", kid: env.APNS_KEY_ID })) +
  "." +
  base64url(JSON.stringify({ iss: env.APNS_TEAM_ID, iat: Math.floor(Date.now() / 1000) }));
const key = fs.readFileSync(env.APNS_KEY_FILE);
const token = input + "." + crypto.sign("sha256", input, { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
const session = http2.connect("https://" + env.APNS_ENDPOINT, { ca: fs.readFileSync(env.APNS_CA_FILE) });
session.on("error", (error) => {
  console.error(error);
  process.exit(1);
});

const push = (device) =>
  new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": "/3/device/" + device,
      authorization: "bearer " + token,
      "apns-topic": "com.example.app",
      "apns-push-type": "alert",
    });
    let status, text = "";
    stream.setEncoding("utf8");
    stream.on("response", (headers) => (status = headers[":status"]));
    stream.on("data", (chunk) => (text += chunk));
    stream.on("end", () => resolve({ status, text }));
    stream.on("error", reject);
    stream.end(JSON.stringify({ aps: { alert: "Hi" } }));
  });

const good = "ab".repeat(32);
const answers = await Promise.all(Array.from({ length: 200 }, () => push(good)));
if (answers.some((answer) => answer.status !== 200)) throw new Error(JSON.stringify(answers));
const gone = await push("dead4100" + "0".repeat(56));
if (gone.status !== 410 || JSON.parse(gone.text).reason !== "Unregistered") throw new Error(JSON.stringify(gone));
const goaway = new Promise((resolve) => session.on("goaway", (code, last, data) => resolve(String(data))));
const shutdown = await push("dead5031" + "0".repeat(56));
if (shutdown.status !== 503) throw new Error(JSON.stringify(shutdown));
if (JSON.parse(await goaway).reason !== "Shutdown") throw new Error("no reason in GOAWAY");
session.close();
