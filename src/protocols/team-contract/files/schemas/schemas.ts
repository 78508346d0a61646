import { inputSchema, outputSchema } from "./messages.ts";
import { statusSchema } from "./status.ts";
import { acceptanceSchema, tasksSchema } from "./tasks.ts";
import type { Schema } from "../../../../files/json/schema.ts";

/**
 * The schemas published for editors, by file in `schemas/`. `npm run docs` writes the files and a test compares
 * them, so that editors and the engine use the same rules.
 */
export const PUBLISHED: Readonly<Record<string, Schema>> = {
  "status.schema.json": statusSchema,
  "tasks.schema.json": tasksSchema,
  "acceptance.schema.json": acceptanceSchema,
  "input.schema.json": inputSchema,
  "output.schema.json": outputSchema,
};
