import { join } from "node:path";
import { packageRoot } from "../cli/package-root.ts";

/** The program that is running now. */
export function hereProgram(): { node: string; script: string; path: string } {
  return {
    node: process.execPath,
    script: join(packageRoot(), "bin/holdpoint.js"),
    path: process.env["PATH"] ?? "",
  };
}
