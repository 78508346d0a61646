import { expect, test } from "vitest";
import { sessionAt } from "./team.ts";

interface Forward {
  readonly do: string;
  readonly allowed: boolean;
  readonly ready?: boolean;
}

function forwardOf(session: ReturnType<typeof sessionAt>): Forward | undefined {
  return (session.run("next").json as { readonly forward?: Forward }).forward;
}

test("a step that lacks nothing but checks which it runs itself is told from one that lacks work", () => {
  const session = sessionAt("integrate");
  session.work("integrate");
  expect(forwardOf(session)).toMatchObject({ allowed: false, ready: true });
  expect(session.run("advance").exit).toBe(0);
  const planning = forwardOf(sessionAt("intake"));
  expect(planning?.ready).toBeUndefined();
});
