/** Clients of a running Ebb, which `make adapters` starts; each test has a user of its own. */

import { Ebb } from "../src/index.js";

const PATIENCE = 90_000; // milliseconds

/** Return a client of a new user. */
export function newUser(): Ebb {
  return new Ebb({ userId: `user-${crypto.randomUUID()}` });
}

/** Wait until the exchanges are assessed; return the texts of the user's memories. */
export async function learned(ebb: Ebb): Promise<string[]> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const { items } = await ebb.call<{ items: { status: string }[] }>("GET", "assessments");
    if (items.every(({ status }) => ["done", "ignored", "failed"].includes(status))) break;
    if (Date.now() > deadline) throw new Error("the exchanges were not assessed");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return contents(ebb);
}

/** Return the texts of the user's memories. */
export async function contents(ebb: Ebb): Promise<string[]> {
  const found: string[] = [];
  for await (const memory of ebb.memories()) found.push(memory.content);
  return found;
}
