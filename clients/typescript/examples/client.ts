/** The client: `node dist/examples/client.js alice`. Needs EBB_URL and EBB_KEY. */

import { argv, stdout } from "node:process";
import { Ebb } from "ebb-client";

const ebb = new Ebb({ userId: argv[2] });
await ebb.remember("User likes pizza", { memory_type: "preference", tags: ["food"] });
for (const { match, memory } of (await ebb.search("What does the user like to eat?")).results) {
  console.log(match, memory.content);
}
for await (const { name, data } of ebb.streamChat("What could I cook tonight?")) {
  if (name === "token") stdout.write(String(data.text));
}
console.log();
