import { defineConfig, mergeConfig, type ViteUserConfig } from "vitest/config";
import base, { FAMILIES_IN_PROGRESS } from "./vitest.config.ts";

const config: ViteUserConfig = mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: ["**/node_modules/**"] } },
  defineConfig({ test: { include: FAMILIES_IN_PROGRESS } }),
);

export default config;
