import { configDefaults, defineConfig, type ViteUserConfig } from "vitest/config";

/** Minutes by themselves: `npm run test:heavy` runs these, `npm run check` everything, `npm test` stays under ten minutes. */
const HEAVY = [
  "test/second-opinion/**/*.test.ts",
  "test/e2e/doctor.test.ts",
  "test/e2e/forged-lines.test.ts",
  "test/e2e/install.test.ts",
  "test/e2e/mcp-workflows.test.ts",
  "test/e2e/slow-hooks.test.ts",
];

const isHeavy = process.env["HOLDPOINT_SUITE"] === "heavy";

const config: ViteUserConfig = defineConfig({
  test: {
    include: isHeavy ? HEAVY : ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(isHeavy ? [] : HEAVY)],
    globalSetup: ["test/build-once.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
  },
});

export default config;
