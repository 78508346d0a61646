import { defineConfig, type ViteUserConfig } from "vitest/config";

/**
 * End-to-end suites of the two families that are not finished: `npm run test:families` runs them. They
 * join `npm test` when their families do, because a suite that is known to fail hides one that is not.
 */
export const FAMILIES_IN_PROGRESS: string[] = [
  "test/e2e/team-*.test.ts",
  "test/e2e/task-*.test.ts",
];

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", ...FAMILIES_IN_PROGRESS],
    globalSetup: ["test/build-once.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
  },
});

export default config;
