/** `doctor`: proves that what is installed works, by using it as the client would. */
import { execFileSync } from "node:child_process";
import type { Answered } from "../../../operations/parts/answers.ts";
import type { Answer, Context } from "../../../operations/operation.ts";
import { CLIENTS } from "../../../watch/call.ts";
import { homesIn } from "../client.ts";
import type { ClientSetup, Homes } from "../client.ts";
import { SETUPS } from "../clients/index.ts";
import { setupFor, unknownClient } from "../install.ts";
import { isInstalled } from "../installed.ts";
import { askClient } from "./asked.ts";
import { failed, proven, unknown } from "./check.ts";
import type { Check } from "./check.ts";
import { checkHooks } from "./hooks.ts";
import { endScene, makeScene } from "./scene.ts";
import type { Scene } from "./scene.ts";
import { checkServer } from "./server.ts";

export type DoctorInput = { readonly client?: string };

export interface Examined extends Answer {
  readonly checks: readonly Check[];
}

const NODE_MIN = 20;
/** The version that introduced `git hook run`. */
const GIT_MIN = [2, 36] as const;

export async function doctor(
  { parts }: Context,
  { client }: DoctorInput,
): Promise<Answered<Examined>> {
  const named = client === undefined ? undefined : setupFor(client);
  if (client !== undefined && named === undefined) return unknownClient(client);
  const { root } = parts.workspace;
  const where = { root, home: homesIn(process.env) };
  const setups = named === undefined ? CLIENTS.map((one) => SETUPS[one]) : [named];
  const found = setups.flatMap((setup) =>
    [false, true]
      .filter((user) => isInstalled(setup, where, user))
      .map((user) => ({ setup, user })),
  );
  const checks: Check[] = machineChecks(parts.place.kind === "repository");
  const other = found.length === 0 ? readBy(named, where) : undefined;
  if (named !== undefined && other !== undefined)
    checks.push(borrowed(named, other), ...(await examine([{ setup: other, user: false }], where)));
  else if (found.length === 0) checks.push(nowhere(named));
  else checks.push(...(await examine(found, where)));
  return { ok: checks.every(({ state }) => state !== "failed"), checks };
}

type Found = readonly { readonly setup: ClientSetup; readonly user: boolean }[];

async function examine(
  found: Found,
  where: { root: string; home: Homes },
): Promise<readonly Check[]> {
  const scene = await makeScene(where.root);
  if ("said" in scene)
    return [
      failed("throw-away repository", scene.said, "Put right what it names, then try again."),
    ];
  try {
    const checks: Check[] = [];
    // One after the other, because two clients at once would slow each other down.
    for (const { setup, user } of found)
      checks.push(...(await examineOne(setup, user, where, scene)));
    return checks;
  } finally {
    endScene(scene);
  }
}

async function examineOne(
  setup: ClientSetup,
  user: boolean,
  where: { readonly root: string; readonly home: Homes },
  scene: Scene,
): Promise<readonly Check[]> {
  const [hooks, server, asked] = await Promise.all([
    checkHooks(setup, where, user, scene),
    checkServer(setup, where, user),
    askClient(setup.client, where, user),
  ]);
  const checks = [...hooks, server, ...asked];
  return checks.map((one) => ({ client: setup.client, ...one }));
}

/** The client whose files are used by one that has none of its own here. */
function readBy(
  setup: ClientSetup | undefined,
  where: { readonly root: string; readonly home: Homes },
): ClientSetup | undefined {
  const other = setup?.reads === undefined ? undefined : SETUPS[setup.reads];
  return other !== undefined && isInstalled(other, where, false) ? other : undefined;
}

function borrowed({ client, title }: ClientSetup, other: ClientSetup): Check {
  const said = `${title} has no hooks of its own here; in a trusted folder it uses those of ${other.title}`;
  return { client, ...unknown("installed", said, `holdpoint install ${client} --user`) };
}

function nowhere(setup: ClientSetup | undefined): Check {
  if (setup === undefined)
    return unknown(
      "clients",
      "Holdpoint is installed at no client here",
      "holdpoint install claude, or another client.",
    );
  const said = `Holdpoint is not installed at ${setup.title} here`;
  return {
    client: setup.client,
    ...failed("installed", said, `holdpoint install ${setup.client}`),
  };
}

function machineChecks(isRepository: boolean): Check[] {
  return [nodeCheck(), gitCheck(), storeCheck(isRepository)];
}

function nodeCheck(): Check {
  const major = Number(process.versions.node.split(".")[0]);
  return major >= NODE_MIN
    ? proven("node", `Node ${process.versions.node}`)
    : failed("node", `Node ${process.versions.node} is too old`, `Use Node ${NODE_MIN} or later.`);
}

function gitCheck(): Check {
  let said = "";
  try {
    said = execFileSync("git", ["--version"], { encoding: "utf8", timeout: 10_000, stdio: "pipe" });
  } catch {
    return failed("git", "git cannot be started", "Install git.");
  }
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(said) ?? [];
  const isOld =
    Number(major) < GIT_MIN[0] || (Number(major) === GIT_MIN[0] && Number(minor) < GIT_MIN[1]);
  return isOld
    ? failed("git", `${said.trim()} is too old`, `Use git ${GIT_MIN.join(".")} or later.`)
    : proven("git", said.trim());
}

/**
 * On an unsuitable file system the engine would have refused to open, so this is only reached on a suitable one.
 */
function storeCheck(isRepository: boolean): Check {
  return isRepository
    ? proven("store", "the journal lies on a file system that keeps it")
    : unknown("store", "this is no git repository; the journal lies in .holdpoint");
}
