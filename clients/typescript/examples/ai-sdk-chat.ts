/** A chat with long-term memory, with Vercel's AI SDK: `node dist/examples/ai-sdk-chat.js alice`.
 *
 * Needs EBB_URL and EBB_KEY, and for the model OPENAI_BASE_URL, OPENAI_API_KEY and MODEL. */

import { argv, env, pid, stdin, stdout } from "node:process";
import { createInterface } from "node:readline";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText, wrapLanguageModel, type ModelMessage } from "ai";
import { Ebb } from "ebb-client";
import { ebbMemory } from "ebb-client/ai-sdk";

const provider = createOpenAICompatible({
  name: "openai",
  baseURL: env.OPENAI_BASE_URL ?? "https://api.openai.com/v1",
  apiKey: env.OPENAI_API_KEY,
});
const ebb = new Ebb({ userId: argv[2] });
const model = wrapLanguageModel({
  model: provider(env.MODEL ?? ""),
  middleware: ebbMemory(ebb, { conversationId: `ai-sdk-${pid}` }),
});
const messages: ModelMessage[] = [];
for await (const line of createInterface({ input: stdin })) {
  messages.push({ role: "user", content: line });
  const { textStream } = streamText({ model, system: "You are a helpful assistant.", messages });
  let reply = "";
  for await (const text of textStream) {
    stdout.write(text);
    reply += text;
  }
  console.log();
  messages.push({ role: "assistant", content: reply });
}
