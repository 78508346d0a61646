import { inputSchema, outputSchema } from "./messages.ts";
import { statusSchema } from "./status.ts";
import { acceptanceSchema, tasksSchema } from "./tasks.ts";
import type { Schema } from "../../../../files/json/schema.ts";

/**
 * The schemas that are published for editors, by file in `schemas/`. `npm run docs` writes
 * the files and a test compares them, so that what an editor underlines is what the engine refuses.
 */
export const PUBLISHED: Readonly<Record<string, Schema>> = {
  "status.schema.json": statusSchema,
  "tasks.schema.json": tasksSchema,
  "acceptance.schema.json": acceptanceSchema,
  "input.schema.json": inputSchema,
  "output.schema.json": outputSchema,
};
