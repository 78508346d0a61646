/** What agents type all day is let be while something is held; what goes round the protocol is not. */
import { describe, expect, test } from "vitest";
import { judge } from "./judge.ts";
import type { Facts } from "./judge.ts";
import type { Place, Watch, WatchRule } from "./watch.ts";

function rule(kind: WatchRule["kind"], paths: readonly string[]): WatchRule {
  const words = { code: kind, rule: "core", message: "{path} is held", fix: "leave it", lift: "" };
  return { kind, paths, workflow: "Echo", ...words };
}

/** A plugin under way: a sealed contract, two state files. */
const PLUGIN: Place = {
  from: "",
  root: "/repo",
  git: "kept",
  rules: [
    rule("sealed", ["plugins/Echo/.ideas/parameter-spec.md", "plugins/Echo/.ideas/plan.md"]),
    rule("engine", ["PLUGINS.md", "plugins/Echo/.continue-here.md"]),
  ],
};

/** A task under way: the main worktree, and the one it is worked on in. */
const MAIN: Place = {
  from: "",
  root: "/repo",
  git: "locked",
  branches: ["add-parser", "add-parser-build"],
  rules: [rule("lock", ["src/**"])],
};
const TASK: Place = { from: "", root: "/repo/tasks/add-parser/code", git: "free", rules: [] };

const FACTS: Facts = {
  home: "/home/dev",
  program: "",
  resolve: (path) => path,
  belongs: (path) => path.startsWith("/scratch"),
};

function denied(places: readonly Place[], command: string, cwd = "/repo"): string | undefined {
  const watch: Watch = {
    format: 1,
    made: {},
    listed: 0,
    own: ["/repo/.git", "/repo/.git/holdpoint"],
    roles: [],
    cites: {},
    places,
  };
  const tool = { kind: "shell", name: "Bash", command } as const;
  const call = {
    client: "claude",
    event: "before-tool",
    name: "x",
    session: "s",
    cwd,
    tool,
  } as const;
  const verdict = judge(watch, call, FACTS);
  return verdict.kind === "deny" ? verdict.reasons[0]?.code : undefined;
}

/** One a line; some read what is held, which is never denied. */
const EVERYDAY = String.raw`
ls
ls -la plugins/Echo/.ideas
pwd
cat PLUGINS.md
cat plugins/Echo/.ideas/parameter-spec.md | head -50
head -n 20 plugins/Echo/.continue-here.md
tail -f build/log.txt
less PLUGINS.md
wc -l plugins/Echo/.ideas/*.md
grep -rn "gain" plugins
grep -n Status PLUGINS.md > /tmp/status.txt
rg --files plugins | head
rg -l parameter plugins
find . -name "*.cpp" | xargs grep -n process
find plugins -name "*.md" -newer PLUGINS.md
find . -type f -name "*.tmp" -delete
diff plugins/Echo/.ideas/plan.md /tmp/plan.md
cmp PLUGINS.md /tmp/PLUGINS.md
cp PLUGINS.md /tmp/PLUGINS.md
cp plugins/Echo/.ideas/plan.md /tmp/
cp -r plugins/Echo/Source /tmp/source
md5sum plugins/Echo/.ideas/*.md
sha256sum PLUGINS.md
stat PLUGINS.md
file plugins/Echo/.ideas/plan.md
tree plugins
du -sh plugins
jq . package.json
jq -r .version package.json > /tmp/version
sed -n 1,40p PLUGINS.md
sed 's/a/b/' PLUGINS.md | head
awk '{print $1}' PLUGINS.md
awk '/Status/ {print}' plugins/Echo/.continue-here.md
sort PLUGINS.md | uniq -c
cut -d'|' -f2 PLUGINS.md
python3 -c "print(open('PLUGINS.md').read())"
python3 -m pytest -q
python3 scripts/check.py --fast
python3 -m venv .venv
pip install -r requirements.txt
node --version
node -e "console.log(1+1)"
node -p "require('./package.json').version"
node scripts/build.js
npm install
npm ci
npm test
npm run build
npm run lint -- --fix src
npm test > /tmp/test.log 2>&1
npm test 2>&1 | tee /tmp/test.log | tail -20
npx tsc --noEmit
npx eslint src
npx prettier --check .
yarn build
pnpm -r test
cargo build
cargo test --all
cargo fmt
go build ./...
go test ./... -run TestEcho
make
make -j4 all
make > log.$$
cmake -S . -B build
cmake --build build --config Release
ctest --test-dir build --output-on-failure
gradle test
mvn -q test
docker build -t echo .
docker ps
curl -s http://localhost:3000/health
curl -o /tmp/x.json https://example.org/x.json
wget -q -O /tmp/x https://example.org/x
tar czf /tmp/src.tgz plugins/Echo/Source
tar tzf /tmp/src.tgz
unzip -l /tmp/x.zip
mkdir -p plugins/Echo/Source
mkdir -p build/out
touch plugins/Echo/Source/dsp.cpp
rm -f plugins/Echo/Source/old.cpp
rm -rf build
rm -rf node_modules && npm ci
mv plugins/Echo/Source/a.cpp plugins/Echo/Source/b.cpp
chmod +x scripts/run.sh
ln -s ../common plugins/Echo/Source/common
echo hello
echo "x" > plugins/Echo/Source/note.txt
echo "x" >> plugins/Echo/CHANGELOG.md
printf '%s\n' a b > /tmp/list
cat > plugins/Echo/Source/dsp.cpp <<'EOT'
cat <<'EOT' > /tmp/x.md
tee plugins/Echo/Source/x.h < /tmp/x.h
sed -i 's/a/b/' plugins/Echo/Source/dsp.cpp
perl -pi -e 's/a/b/' plugins/Echo/Source/dsp.cpp
for f in plugins/Echo/Source/*.cpp; do clang-format -i "$f"; done
for f in plugins/Echo/Source/*.h; do sed -i s/a/b/ "$f"; done
LOG=/tmp/build.log; make > "$LOG" 2>&1
T=$(mktemp); npm test > "$T"; tail "$T"
D=$(mktemp -d) && cp -r plugins/Echo/Source "$D"
echo "n=1" >> "$GITHUB_OUTPUT"
make > "$TMPDIR/log"
OUT=build/out.txt; date > "$OUT"
cd plugins/Echo/Source && ls
cd plugins/Echo && make
cd /tmp && rm -rf scratch && mkdir scratch
git status
git status --short
git diff
git diff --stat HEAD~3
git diff -- plugins/Echo/.ideas/plan.md
git log --oneline -20
git log -p -- PLUGINS.md
git show HEAD:PLUGINS.md
git show --stat
git blame PLUGINS.md
git branch
git branch -a
git branch --show-current
git branch -D old-experiment
git rev-parse HEAD
git ls-files plugins
git grep -n gain
git stash list
git stash show
git tag
git tag -l "v*"
git tag --contains HEAD
git tag --sort=-creatordate
git tag v1.2.0
git tag -a v1.2.0 -m "first"
git tag v1.2.0 HEAD
git notes list
git notes add -m "looked at"
git worktree list
git worktree add --detach /scratch HEAD~5
git remote -v
git fetch
git fetch origin
git config --get user.name
git config user.email
git add plugins/Echo/Source
git describe --tags
git shortlog -sn
git cat-file -p HEAD
git merge-base HEAD origin/main
git check-ignore build
git archive HEAD -o /tmp/x.tar
git show HEAD:plugins/Echo/.ideas/plan.md > /tmp/plan.md
ps aux | grep node
kill %1
lsof -i :3000
env | grep PATH
export PATH="$HOME/bin:$PATH"
which node
command -v cmake
date
sleep 1
test -f PLUGINS.md && echo yes
[ -d build ] || mkdir build
true
xargs -a /tmp/list echo
seq 1 10 | xargs -n1 echo
holdpoint status
holdpoint next Echo
holdpoint verify --all
holdpoint advance Echo
time npm test
timeout 60 npm test
nice -n 10 make
`
  .split("\n")
  .filter((line) => line !== "");

test("of what is typed all day nothing is denied", () => {
  expect(EVERYDAY.length).toBeGreaterThanOrEqual(150);
  const alarms = (places: readonly Place[], cwd: string): readonly string[] =>
    EVERYDAY.flatMap((line) => {
      const code = denied(places, line, cwd);
      return code === undefined ? [] : [`${line}: ${code}`];
    });
  expect(alarms([PLUGIN], "/repo")).toEqual([]);
  expect(alarms([MAIN, TASK], TASK.root)).toEqual([]);
});

describe("a file that is not named in the command may be one that is held", () => {
  test.each([
    'echo x > "$F"',
    'F=$(cat list); echo x > "$F"',
    'while read -r f; do rm "$f"; done < list',
    "xargs -I{} cp a {} < list",
    'dd if=a of="$X"',
    'rsync -a a/ "$D"',
    'curl -o "$F" http://localhost/x',
    'sed -i s/a/b/ "$(cat list)"',
  ])("%s", (command) => {
    expect(denied([PLUGIN], command)).toBe("path-unknown");
    // Elsewhere nothing is held.
    expect(denied([PLUGIN], command, "/tmp/elsewhere")).toBeUndefined();
    expect(denied([{ ...PLUGIN, rules: [] }], command)).toBeUndefined();
  });

  test("what is known of its name counts", () => {
    expect(denied([PLUGIN], 'echo x > "$DIR/out.log"')).toBeUndefined();
    expect(denied([PLUGIN], 'echo x > "$DIR/plan.md"')).toBe("sealed");
    expect(denied([PLUGIN], 'echo x > "plugins/Echo/.ideas/pl$X"')).toBe("sealed");
    expect(denied([PLUGIN], 'echo x > "PLUG$X"')).toBe("engine");
  });
});

describe("commands in other words", () => {
  const plan = "plugins/Echo/.ideas/plan.md";
  test.each([
    [`X='rm ${plan}'; $X`, "sealed"],
    [`X='a ${plan}'; rm $X`, "sealed"],
    ["tmux new -d 'holdpoint answer Echo 1'", "person-only"],
    [`screen -dm sh -c 'rm ${plan}'`, "sealed"],
  ])("%s", (command, code) => {
    expect(denied([PLUGIN], command)).toBe(code);
  });

  test("a value in quotes is one word, and its spaces are part of a name", () => {
    expect(denied([PLUGIN], `X='a b.txt'; rm "$X"`)).toBeUndefined();
    expect(denied([PLUGIN], `X='two words'; echo $X > /tmp/x`)).toBeUndefined();
  });
});

describe("git goes round nothing", () => {
  test.each([
    ["git tag -f v1", "git-tag-moved"],
    ["git tag -d v1", "git-tag-moved"],
    ["git tag main HEAD~3", "git-tag-moved"],
    ["git tag -a -m x main", "git-tag-moved"],
    ["git tag heads/main", "git-tag-moved"],
    ["git branch -m other", "git-ref-moved"],
    ["git worktree add -f /scratch main", "git-branch-forced"],
    ["git worktree add -B main /scratch", "git-branch-forced"],
    ["git checkout -B main HEAD~1", "git-branch-forced"],
    ["git switch -C main HEAD~1", "git-branch-forced"],
    ["git push . HEAD:main", "git-ref-moved"],
    // In a worktree of one's own the branches are the same ones.
    ["git -C /scratch update-ref refs/heads/main HEAD", "git-ref-moved"],
    ["cd /scratch && git branch -f main HEAD", "git-branch-forced"],
    ["cd /scratch/sub; git push . HEAD:main", "git-ref-moved"],
  ])("%s", (command, code) => {
    expect(denied([PLUGIN], command)).toBe(code);
  });

  test.each(["git branch -D", "git branch -Dq", "git branch -qD", "git branch --del -f"])(
    "%s of a task's branch",
    (verb) => {
      for (const cwd of ["/repo", TASK.root, "/scratch"])
        for (const name of ["add-parser", "add-parser-build"])
          expect(denied([MAIN, TASK], `${verb} ${name}`, cwd)).toBeDefined();
      expect(denied([MAIN, TASK], "git branch -D old")).toBeUndefined();
    },
  );

  test("a task's branch is checked out nowhere else, and no tag has its name", () => {
    expect(denied([MAIN, TASK], "git worktree add /scratch add-parser")).toBe("git-foreign");
    expect(denied([MAIN, TASK], "git tag add-parser")).toBe("git-tag-moved");
    expect(denied([MAIN, TASK], "git worktree add /scratch v1")).toBeUndefined();
  });

  test("in another repository it is free", () => {
    for (const command of ["git branch -f main HEAD", "git push -f", "git update-ref x y"])
      expect(denied([PLUGIN], `cd /other && ${command}`)).toBeUndefined();
  });
});
