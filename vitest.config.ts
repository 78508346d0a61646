import { configDefaults, defineConfig, type ViteUserConfig } from "vitest/config";

/** Minutes by themselves: `npm run test:heavy` runs these, `npm run check` everything, `npm test` stays under ten minutes. */
const HEAVY = [
  "test/second-opinion/**/*.test.ts",
  "test/terminal/**/*.test.ts",
  "test/e2e/{crash,race}.test.ts",
  "test/e2e/holder/*.test.ts",
  "test/e2e/hostile/{git,places}.test.ts",
  "test/e2e/release/{fence-walks,own-keys,walks-signed}.test.ts",
  "test/e2e/task/{hostile,own-source,race,risk,tree,trouble,work}.test.ts",
  "test/e2e/team/{crash,persist}.test.ts",
  "test/e2e/doctor.test.ts",
  "test/e2e/{forged,forged-lines}.test.ts",
  "test/e2e/install.test.ts",
  "test/e2e/mcp/workflows.test.ts",
  "test/e2e/{shown,slow-hooks}.test.ts",
];

/** Need a server: `npm run test:postgres` starts it. */
const POSTGRES = ["test/postgres/*.test.ts"];

/** The same, with every scratch repository on it. */
const CLONES = ["test/postgres/clones/*.test.ts"];

/** Whole runs of each family, which `npm run test:postgres` repeats on its server; none of them looks into the embedded store. */
const FAMILIES = [
  "test/e2e/plugin/{simple,lifecycle}.test.ts",
  "test/e2e/team/{full,lean,gates}.test.ts",
  "test/e2e/task/{run,steps,high}.test.ts",
];

const SUITES: Readonly<Record<string, readonly string[]>> = {
  heavy: HEAVY,
  postgres: POSTGRES,
  "postgres-clones": CLONES,
  "postgres-families": FAMILIES,
};

const wanted = process.env["HOLDPOINT_SUITE"] ?? "";
const suite = SUITES[wanted];

const config: ViteUserConfig = defineConfig({
  test: {
    include: [...(suite ?? ["src/**/*.test.ts", "test/**/*.test.ts"])],
    exclude: [
      ...configDefaults.exclude,
      ...(suite === undefined ? [...HEAVY, ...POSTGRES, ...CLONES] : []),
    ],
    globalSetup: ["test/build-once.ts"],
    testTimeout: wanted.startsWith("postgres") ? 600_000 : 180_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
  },
});

export default config;
