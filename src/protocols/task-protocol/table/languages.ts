import type { JsonObject } from "../../../core/values/json.ts";
import { DEFAULT_PATTERNS } from "./risk.ts";

/** Where code, tests and build files are, by language. The default patterns are for Java. */
const PLACES: Readonly<
  Record<string, { readonly HIGH: readonly string[]; readonly MEDIUM: readonly string[] }>
> = {
  javascript: {
    HIGH: ["src/**", "lib/**", "bin/**", "package.json", "package-lock.json", "tsconfig*.json"],
    MEDIUM: ["test/**", "tests/**", "**/*.test.*", "**/*.spec.*"],
  },
  python: {
    HIGH: ["src/**", "**/*.py", "pyproject.toml", "setup.cfg", "requirements*.txt"],
    MEDIUM: ["tests/**", "test/**", "**/test_*.py", "**/*_test.py"],
  },
  rust: {
    HIGH: ["src/**", "**/*.rs", "Cargo.toml", "Cargo.lock", "build.rs"],
    MEDIUM: ["tests/**", "benches/**"],
  },
  go: { HIGH: ["**/*.go", "go.mod", "go.sum"], MEDIUM: ["**/*_test.go"] },
  cpp: {
    HIGH: ["**/*.cpp", "**/*.h", "**/*.hpp", "**/CMakeLists.txt", "cmake/**"],
    MEDIUM: ["tests/**", "test/**"],
  },
};

/** Risk patterns for a repository in these languages; empty if the default ones fit. */
export function settingsFor(languages: readonly string[]): JsonObject {
  const places = languages.flatMap((one) => (Object.hasOwn(PLACES, one) ? [PLACES[one]] : []));
  if (places.length === 0) return {};
  const common = DEFAULT_PATTERNS.HIGH.filter((one) => !/java|pom|checkstyle/.test(one));
  return {
    task: {
      patterns: {
        HIGH: [...new Set([...places.flatMap((one) => one?.HIGH ?? []), ...common])],
        MEDIUM: [...new Set(places.flatMap((one) => one?.MEDIUM ?? []))],
        LOW: [...DEFAULT_PATTERNS.LOW],
      },
    },
  };
}
