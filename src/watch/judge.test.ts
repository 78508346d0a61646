import { describe, expect, test } from "vitest";
import type { HookCall, ToolUse } from "./call.ts";
import { judge, judgeUnreadable } from "./judge.ts";
import type { Facts } from "./judge.ts";
import type { Place, Watch, WatchRule } from "./watch.ts";

function rule(
  kind: WatchRule["kind"],
  paths: readonly string[],
  more: Partial<WatchRule> = {},
): WatchRule {
  return {
    kind,
    paths,
    workflow: "Echo",
    code: kind,
    rule: "core",
    message: `{path} is ${kind}`,
    fix: "leave it",
    lift: "a person",
    ...more,
  };
}

const SEALED = "plugins/Echo/.ideas/parameter-spec.md";

const KEPT: Place = {
  from: "",
  root: "/repo",
  git: "kept",
  rules: [
    rule("sealed", [SEALED]),
    rule("engine", ["plugins/Echo/state.json"]),
    rule("allowed", ["plugins/Echo/**"]),
    rule("plan", ["**"], { roles: ["dsp-agent"] }),
  ],
};

function watch(...places: readonly Place[]): Watch {
  return {
    format: 1,
    made: {},
    listed: 0,
    own: ["/repo/.git", "/repo/.git/holdpoint"],
    roles: ["dsp-agent", "gui-agent"],
    cites: { "git-branch-forced": "X-1" },
    places,
  };
}

const LINKS: Readonly<Record<string, string>> = {
  "/repo/link.md": `/repo/${SEALED}`,
  "/repo/ideas/parameter-spec.md": `/repo/${SEALED}`,
  "/elsewhere": "/repo",
  "/repo/inner": "/repo/plugins/Echo/.ideas/sub",
};

const FACTS: Facts = {
  home: "/home/dev",
  program: "/usr/lib/holdpoint",
  starters: ["/repo/node_modules/.bin/holdpoint"],
  resolve: (path) => LINKS[path] ?? path,
};

function call(tool: ToolUse, more: Partial<HookCall> = {}): HookCall {
  return {
    client: "claude",
    event: "before-tool",
    name: "PreToolUse",
    cwd: "/repo",
    session: "s-1",
    tool,
    ...more,
  };
}

function codeOf(tool: ToolUse, more: Partial<HookCall> = {}, held: Watch = watch(KEPT)): string {
  const verdict = judge(held, call(tool, more), FACTS);
  return verdict.kind === "allow" ? "allowed" : (verdict.reasons[0]?.code ?? "");
}

function shell(command: string, more: Partial<HookCall> = {}, held?: Watch): string {
  return codeOf({ kind: "shell", name: "Bash", command }, more, held);
}

function edit(path: string, more: Partial<HookCall> = {}, held?: Watch): string {
  return codeOf({ kind: "edit", name: "Edit", paths: [path] }, more, held);
}

describe("edits", () => {
  test.each([
    [`/repo/${SEALED}`, "sealed"],
    [SEALED, "sealed"],
    [`./plugins/../${SEALED}`, "sealed"],
    ["link.md", "sealed"],
    ["ideas/parameter-spec.md", "sealed"],
    ["plugins/Echo/state.json", "engine"],
    [".git/holdpoint/journals/a.jsonl", "store-owned"],
    [".git/refs/heads/main", "store-owned"],
    [".git/hooks/pre-commit", "store-owned"],
    [".claude/settings.local.json", "client-settings"],
    [".claude/settings.json", "client-settings"],
    [".codex/hooks.json", "client-settings"],
    [".gemini/settings.json", "client-settings"],
    ["opencode.json", "client-settings"],
    [".github/hooks/holdpoint.json", "client-settings"],
    ["~/.copilot/hooks/holdpoint.json", "client-settings"],
    ["/home/dev/.claude/settings.json", "client-settings"],
    ["/usr/lib/holdpoint/dist/bin/hook.cjs", "program-owned"],
    ["node_modules/.bin/holdpoint", "program-owned"],
    ["node_modules/.bin/other", "allowed"],
    [".git/COMMIT_EDITMSG", "allowed"],
    [".git/info/exclude", "allowed"],
    [".gitignore", "allowed"],
    ["plugins/Echo/Source/a.cpp", "allowed"],
    ["plugins/Echo/.ideas/notes.md", "allowed"],
    ["README.md", "allowed"],
    [".claude/agents/coder.md", "allowed"],
    ["/tmp/x", "allowed"],
  ])("%s: %s", (path, code) => {
    expect(edit(path)).toBe(code);
  });

  test("the role of an open dispatch writes what the plan has, and nothing else", () => {
    const agent = { id: "a1", type: "dsp-agent" };
    expect(edit("src/other.ts", { agent })).toBe("plan");
    expect(edit("plugins/Echo/Source/a.cpp", { agent })).toBe("allowed");
    expect(edit("src/other.ts", { agent: { id: "a2", type: "gui-agent" } })).toBe("allowed");
  });

  test("an agent that cannot be told apart may do what any of them may, and no more", () => {
    for (const more of [
      { agent: { id: "a1", type: "general-purpose" } },
      { agent: { id: "a1" } },
      { client: "gemini" },
    ] as const) {
      expect(edit("src/other.ts", more)).toBe("plan");
      expect(edit("plugins/Echo/Source/a.cpp", more)).toBe("allowed");
    }
  });

  test("where nothing is held everything is allowed", () => {
    expect(edit(`/repo/${SEALED}`, {}, watch())).toBe("allowed");
    expect(shell("rm -rf src", {}, watch())).toBe("allowed");
    expect(shell("holdpoint answer Echo 1", {}, watch())).toBe("allowed");
  });
});

const WRITES_SEALED: readonly string[] = [
  `echo x > ${SEALED}`,
  `echo x >> ${SEALED}`,
  `echo x >| '${SEALED}'`,
  `echo x &> "${SEALED}"`,
  `echo x 1> ${SEALED}`,
  `cat > ${SEALED} <<'EOF'\nhello\nEOF`,
  `cat <<EOF | tee ${SEALED}\nhello\nEOF`,
  `tee -a ${SEALED} < /dev/null`,
  `sed -i s/a/b/ ${SEALED}`,
  `sed -i.bak -e s/a/b/ ${SEALED}`,
  `perl -pi -e 's/a/b/' ${SEALED}`,
  `cp /tmp/x ${SEALED}`,
  `cp /tmp/parameter-spec.md plugins/Echo/.ideas/`,
  `cp -t plugins/Echo/.ideas /tmp/parameter-spec.md`,
  `mv ${SEALED} /tmp/`,
  `mv /tmp/new ${SEALED}`,
  `rm ${SEALED}`,
  `rm -f ./plugins/Echo/.ideas/*`,
  `rm plugins/*/.ideas/*.md`,
  `rm plugins/Echo/.ideas/{notes,parameter-spec}.md`,
  `rm -rf plugins`,
  `rm -rf plugins/Echo/`,
  `mv plugins old`,
  `truncate -s 0 ${SEALED}`,
  `dd if=/dev/zero of=${SEALED}`,
  `install -m 644 /tmp/x ${SEALED}`,
  `ln -sf /tmp/x ${SEALED}`,
  `touch ${SEALED}`,
  `chmod +w ${SEALED}`,
  `cd plugins/Echo && echo x > .ideas/parameter-spec.md`,
  `cd plugins; cd Echo; (cd .ideas; rm parameter-spec.md)`,
  `pushd plugins/Echo/.ideas; rm -f parameter-spec.md; popd`,
  `F=${SEALED}; echo x > $F`,
  `F=${SEALED} && rm "\${F}"`,
  `D=plugins/Echo/.ideas\nrm $D/parameter-spec.md`,
  `for f in ${SEALED} other; do rm "$f"; done`,
  `rm "$UNKNOWN/parameter-spec.md"`,
  `rm $(git rev-parse --show-toplevel)/${SEALED}`,
  `sudo rm ${SEALED}`,
  `env X=1 rm ${SEALED}`,
  `X=1 rm ${SEALED}`,
  `nohup timeout 5 rm ${SEALED} &`,
  `sh -c 'rm ${SEALED}'`,
  `bash -lc "cd plugins && echo x > Echo/.ideas/parameter-spec.md"`,
  `eval "rm ${SEALED}"`,
  `bash <<EOF\nrm ${SEALED}\nEOF`,
  `echo 'rm ${SEALED}' | sh`,
  `find plugins -name '*.md' -delete`,
  `find . -name parameter-spec.md -exec rm {} \\;`,
  `find plugins -type f -exec sed -i s/a/b/ {} +`,
  `find . -name '*.md' | xargs rm; echo ${SEALED}`,
  `echo ${SEALED} | xargs rm`,
  `python3 -c "open('${SEALED}','w').write('x')"`,
  `python3 <<'EOF'\nopen('plugins/Echo/.ideas/' + 'x', 'w')\nEOF`,
  `node -e 'fs.writeFileSync("${SEALED}", "")'`,
  `ruby -e 'File.write("parameter-spec.md", "")'`,
  `r\\m ${SEALED}`,
  `'rm' "${SEALED}"`,
  `$'\\x72m' ${SEALED}`,
  `/bin/rm ${SEALED}`,
  `if true; then rm ${SEALED}; fi`,
  `while true; do echo x > ${SEALED}; done`,
  `! rm ${SEALED}`,
  `{ rm ${SEALED}; }`,
  `f() { rm ${SEALED}; }; f`,
  `true && false || rm ${SEALED}`,
  `echo \`rm ${SEALED}\``,
  `echo "$(rm ${SEALED})"`,
  `diff <(rm ${SEALED}) /dev/null`,
  `curl -o ${SEALED} http://x`,
  `wget -O ${SEALED} http://x`,
  `sort -o ${SEALED} x`,
  `vim -c wq ${SEALED}`,
  `some-tool --out=${SEALED}`,
  `$TOOL ${SEALED}`,
  `rm link.md`,
  `echo x > link.md`,
  `rm /elsewhere/../repo/${SEALED}`,
  "rm inner/../parameter-spec.md",
  `echo x > ~root/../repo/${SEALED}`,
  "rm plugins/Echo/.ideas/parameter-spe{a..d}.md",
  "rm plugins/Echo/.ideas/$'\\u0070arameter\\x2dspec.md'",
  `rm /proc/$$/cwd/${SEALED}`,
  `tar xf a -C /tmp --to-command="rm ${SEALED}"`,
  `tar cf /tmp/a x --checkpoint-action=exec='rm ${SEALED}'`,
  `/usr/bin/time -o ${SEALED} ls`,
  `script -q ${SEALED}`,
  `rsync --remove-source-files ${SEALED} /tmp/`,
  `python3 -m json.tool x ${SEALED}`,
  "cd inner && echo x > ../parameter-spec.md",
  `cp -l ${SEALED} other.md`,
  `cp --symbolic-link ${SEALED} other.md`,
  "cp -al plugins/Echo/.ideas other",
  `gzip ${SEALED}`,
  `gunzip -f ${SEALED}.gz`,
  `zstd -d ${SEALED}.zst`,
  `curl -sSLo ${SEALED} http://x`,
  `wget -qO ${SEALED} http://x`,
  `iconv -f a -t b -o ${SEALED} x`,
  `perl -ne 'BEGIN { open F, ">", "${SEALED}" } print F' x`,
  `awk '$1 > 5 { print $2 >> "${SEALED}" }' x`,
  `patch ${SEALED} < x.diff`,
  `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${SEALED}\n@@\n-a\n+b\n*** End Patch\nEOF`,
  `git checkout -- ${SEALED}`,
  `git checkout HEAD~1 ${SEALED}`,
  `git restore ${SEALED}`,
  `git rm ${SEALED}`,
  `git mv ${SEALED} x`,
  `git -C plugins restore Echo/.ideas/parameter-spec.md`,
  `echo 'unterminated ${SEALED}`,
  `awk '{print > "${SEALED}"}' x`,
];

/** Denied by whichever of several reasons comes first. */
const FOUND_LATER: readonly string[] = [
  "find plugins -type f | xargs sed -i s/a/b/",
  "git ls-files | xargs sed -i s/a/b/",
  "git ls-files -- plugins | sort | xargs touch",
  "rg -l foo | xargs perl -pi -e s/a/b/",
  "sed -i s/a/b/ $(grep -rl foo plugins)",
  'for f in $(git ls-files "*.md"); do echo x > "$f"; done',
  'cp /tmp/x "$(git ls-files | grep parameter)"',
  "ls plugins/Echo/.ideas/* | head -1 | xargs rm",
  "find . -type f -print0 | xargs -0 -I{} sh -c 'echo x > \"{}\"'",
  "find . -name 'param*' -exec sh -c 'echo x > \"$1\"' _ {} \\;",
  `bash -c 'for f; do echo x > "$f"; done' _ ${SEALED}`,
  `bash -c 'cp /tmp/x "$@"' _ ${SEALED}`,
  "cp -rT /tmp/i plugins/Echo/.ideas",
  "patch -p1 < /tmp/p.diff",
  "cat /tmp/p | patch -p1",
  "patch -d plugins/Echo/.ideas -p0 < /tmp/p",
  "tar xf /tmp/a.tar",
  "tar --extract -f /tmp/a.tar",
  "unzip -o /tmp/a.zip",
  "7z x a.7z",
  "cpio -i < x",
  "cpio -pd plugins/Echo/.ideas < list",
  "pax -rw x plugins/Echo/.ideas",
  "mount --bind /tmp plugins/Echo/.ideas",
  "mount -t tmpfs none plugins/Echo/.ideas",
  "npx prettier --write .",
  "node ./node_modules/.bin/prettier -w .",
  `watch -n1 'echo x > ${SEALED}'`,
  `git -c core.pager='sh -c "echo > ${SEALED}"' log`,
  `git -c core.fsmonitor='echo > ${SEALED}' status`,
  `GIT_EXTERNAL_DIFF='tee ${SEALED}' git diff`,
  `export GIT_PAGER='tee ${SEALED}'; git log`,
  `git bundle create ${SEALED} HEAD`,
  "git format-patch -o plugins/Echo/.ideas HEAD~1",
  "git gc --prune=now",
  "holdpoin? answer Echo 1",
  "printf 'holdpoint answer Echo 1' | sh",
  "python3 -c \"import subprocess;subprocess.run(['holdpoint','answer','Echo','1'])\"",
  `python3 -c "print(open('${SEALED}', mode='a'))"`,
  `python3 -c "print(eval('op'+'en')('${SEALED}','w'))"`,
  `node -p "require('fs').rmSync('${SEALED}')"`,
];

const FOUND_BY_ATTACK: readonly string[] = [
  `cp -r /tmp/x/. plugins/Echo/.ideas/`,
  `rsync -a --delete /tmp/x/ plugins/Echo/`,
  `tar xf x.tar -C plugins/Echo/.ideas`,
  `unzip -o x.zip -d plugins/Echo/.ideas`,
  `ln -sfn /tmp/x plugins/Echo/.ideas`,
  `sed -n 'w ${SEALED}' x`,
  `source <(echo rm ${SEALED})`,
  `trap 'rm ${SEALED}' EXIT`,
  `alias x='rm ${SEALED}'; x`,
  `env -C plugins/Echo/.ideas rm parameter-spec.md`,
  `env -S "rm ${SEALED}"`,
  `script -qc "rm ${SEALED}" /dev/null`,
  `su -c "rm ${SEALED}"`,
  `make -f - <<X\nall:\n\trm ${SEALED}\nX`,
  `node --eval="require('fs').rmSync('${SEALED}')"`,
  `rm ~+/${SEALED}`,
  `function f { rm ${SEALED}; }; f`,
  `rm\${IFS}${SEALED}`,
  `at now <<< 'rm ${SEALED}'`,
  `echo "rm ${SEALED}" | at now`,
  `exec 3>${SEALED}; echo x >&3`,
  `cat x 1<>${SEALED}`,
  `cat x | (cd plugins/Echo/.ideas; cat > parameter-spec.md)`,
  `while read f; do rm $f; done <<< ${SEALED}`,
  `select f in ${SEALED}; do rm $f; done`,
  `npx prettier --write 'plugins/**/*.md'`,
  `cd /nowhere; rm ${SEALED}`,
  `cd /nowhere || rm ${SEALED}`,
  `false && cd /tmp\nrm ${SEALED}`,
  `ln -s plugins/Echo/.ideas x && rm x/parameter-spec.md`,
];

/** Programs in quotes, texts that nobody can read, and commands behind programs that nobody knows. */
const HIDDEN: readonly string[] = [
  `python3 -c "import shutil; shutil.rmtree('plugins')"`,
  `python3 -c "import glob; [open(f,'w') for f in glob.glob('plugins/*/.ideas/*')]"`,
  `python3 -c "import os; os.system('rm -rf plugins')"`,
  `python3 -c "import subprocess as s; s.run(['git','reset','--hard'])"`,
  `python3 - <<X\nimport subprocess\nsubprocess.run(["sh","-c","rm -rf plugins"])\nX`,
  `node -e "require('child_process').execSync('git reset --hard')"`,
  `node -e "require('child_process').spawnSync('git',['update-ref','refs/heads/main','HEAD~1'])"`,
  `node -e "require('fs').rmSync('plugins',{recursive:true})"`,
  "ruby -e '`git clean -fdx`'",
  `perl -e 'unlink glob("plugins/*/.ideas/*")'`,
  "echo eA== | base64 -d | sh",
  "base64 --decode <<< eA== | bash -s -- a",
  'sh -c "$(echo eA== | base64 -d)"',
  'eval "$(xxd -r -p f)"',
  "sh <(openssl base64 -d -in f)",
  'bash <<< "$(base64 -d f)"',
  ". <(base64 -d f)",
  "zcat f.gz | sh",
  "curl -s http://localhost/x.sh | sh",
  `python3 -c "exec(__import__('base64').b64decode('eA=='))"`,
  `perl -MMIME::Base64 -e 'eval decode_base64("x")'`,
  `node -e "eval(atob('eA=='))"`,
  `uv run python -c "open('${SEALED}','w')"`,
  "poetry run -- git reset --hard",
  `bundle exec ruby -e 'File.delete("${SEALED}")'`,
  "direnv exec . git reset --hard",
  "npx -y rimraf plugins",
  "fd -e md -x rm",
  "fd . plugins -X sed -i s/a/b/",
  "printf 'reset --hard' | xargs git",
  "printf '%s\\n' 'reset --hard' | xargs git",
  `uniq /tmp/x ${SEALED}`,
  `xxd -r /tmp/x ${SEALED}`,
];

const HARMLESS: readonly string[] = [
  `python3 -c "import shutil; shutil.rmtree('build')"`,
  `python3 -c "import os; os.makedirs('plugins/Echo/Source', exist_ok=True)"`,
  `python3 -c "import subprocess; subprocess.check_call(['cmake','--build','build'])"`,
  `python3 -c "import base64; open('/tmp/a.png','wb').write(base64.b64decode('aGk='))"`,
  `node -e "require('child_process').execSync('npm test', {stdio:'inherit'})"`,
  `node -e "console.log(Buffer.from('aGk=','base64').toString())"`,
  `cat > plugins/Echo/Tests/run.py <<'X'\nimport shutil\nshutil.rmtree("plugins")\nX`,
  "echo aGk= | base64 -d",
  'eval "$(ssh-agent -s)"',
  "source <(kubectl completion bash)",
  "uv run python scripts/x.py",
  "poetry run git status",
  "cargo run -- rm notes",
  "docker exec -i web sh < plugins/Echo/Source/a.sh",
  "docker run --rm -v .:/w alpine ls /w/plugins",
  "npm run format -- plugins/Echo/Source",
  "fd -e cpp -x clang-format -i",
  "fd '\\.o$' build -x rm",
  "uniq /tmp/a",
  "xxd plugins/Echo/Source/a.bin",
  "wget -q -P .. http://localhost/x.tgz",
  "curl --output-dir ~ -O http://localhost/x",
  "git format-patch -1 -o ..",
  "git ls-files '*.cpp' | xargs clang-format -i",
  "find . -name '*.ts' | xargs sed -i s/a/b/",
  "for f in $(find . -name '*.cpp'); do sed -i s/a/b/ \"$f\"; done",
  'T=$(mktemp -d); cp x "$T/"; rm -rf "$T"',
  "rm -f $(find build -name '*.o')",
  "git diff --name-only HEAD~1 | xargs eslint",
  "tar tf a.tar",
  "tar xf a.tar -C /tmp/x",
  "unzip -l a.zip",
  "patch --dry-run -p1 < x.diff",
  "git -c core.pager=cat log",
  "GIT_PAGER=cat git diff",
  "npx prettier --check .",
  "npx prettier --write plugins/Echo/Source",
  `markdownlint ${SEALED}`,
  `pandoc ${SEALED} -o /tmp/a.html`,
  `python3 -c "print(open('${SEALED}').read())"`,
  `node -p "require('fs').readFileSync('${SEALED}','utf8').length"`,
  `sh -c 'ls "$@"' _ ${SEALED}`,
  "git gc",
  `cat ${SEALED}`,
  `grep -n x ${SEALED} | head`,
  `head -5 < ${SEALED}`,
  `diff ${SEALED} /tmp/x`,
  `wc -l plugins/Echo/.ideas/*.md`,
  `sed -n 1,5p ${SEALED}`,
  `awk '{print $1}' ${SEALED}`,
  `cp ${SEALED} /tmp/copy.md`,
  `cat ${SEALED} > /tmp/copy.md`,
  `ls -la plugins/Echo/.ideas`,
  `find . -name '*.md'`,
  `jq . plugins/Echo/state.json`,
  `gzip -c ${SEALED} > /tmp/x.gz`,
  `python3 -m json.tool ${SEALED}`,
  `xxd -l 16 ${SEALED}`,
  "touch build/{1..3}.txt",
  `zcat ${SEALED}.gz`,
  `pr ${SEALED}`,
  `iconv -f utf8 -t latin1 ${SEALED}`,
  `perl -pe 's/a/b/' ${SEALED}`,
  `awk -F: '$3 > 5 { print $1 }' ${SEALED}`,
  "ls inner/..",
  `git status && git log --oneline -5 && git diff ${SEALED} && git show HEAD:${SEALED}`,
  `git add -A && git commit -m "rm ${SEALED}"`,
  `git commit -m "sed -i is not run here > ${SEALED}"`,
  `git branch`,
  `git branch feature`,
  `git branch -D old`,
  `git worktree remove ../other`,
  `git fetch origin`,
  `git stash list`,
  `git worktree list`,
  `git config --get core.hooksPath`,
  `git config user.name x`,
  `git reset`,
  `git reset HEAD plugins/Echo/Source/a.cpp`,
  `git restore --staged ${SEALED}`,
  `git checkout plugins/Echo/Source/a.cpp`,
  `git push origin main`,
  `npm test`,
  `npm install && npx vitest run src`,
  `make -j4 && ctest --test-dir build`,
  `cmake -B build -S . > build.log 2>&1`,
  `mkdir -p plugins/Echo/Source && touch plugins/Echo/Source/b.cpp`,
  `rm -rf build node_modules/.cache`,
  `rm -f /tmp/*.log`,
  `rm *`,
  `rm -f *.json`,
  `find . -name '*.pyc' -delete`,
  `rm "$X/a.txt"`,
  `rm -rf "$X/build"`,
  `for f in *.tmp; do rm "$f"; done`,
  `echo "parameter-spec.md is sealed"`,
  `echo done > out.txt 2>/dev/null`,
  `python3 -c 'print(1)'`,
  `node -e "console.log(require('./package.json').version)"`,
  `node scripts/build.js --out dist`,
  `bash scripts/run.sh`,
  `holdpoint status Echo`,
  `holdpoint report Echo report.json`,
  `holdpoint answer --help`,
  `cat <<'EOF' > plugins/Echo/notes.md\nrm ${SEALED}\nEOF`,
  `# rm ${SEALED}\nls`,
  `echo x | tee plugins/Echo/Source/b.cpp`,
  `cd /tmp && rm -rf plugins`,
  `cd plugins/Echo; make; rm -rf build`,
  `git -C /tmp/other reset --hard`,
  `test -f ${SEALED} && echo yes`,
  `[ -f ${SEALED} ]`,
  `xxd ${SEALED} | less`,
];

const GOES_ROUND: readonly (readonly [string, string])[] = [
  ["git update-ref refs/heads/main HEAD~1", "git-ref-moved"],
  ["git symbolic-ref HEAD refs/heads/x", "git-ref-moved"],
  ["git branch -f main HEAD~3", "git-branch-forced"],
  ["git branch -M x", "git-branch-forced"],
  ["git push -f", "git-push-forced"],
  ["git push --force-with-lease origin main", "git-push-forced"],
  ["git push origin +main", "git-push-forced"],
  ["git push origin :main", "git-push-forced"],
  ["git fetch . HEAD:main", "git-ref-moved"],
  ["git replace a b", "git-history"],
  ["git filter-branch --all", "git-history"],
  ["git reflog expire --all", "git-history"],
  ["git hash-object -w x", "git-by-hand"],
  ["git commit-tree abc -m x", "git-by-hand"],
  ["git update-index --assume-unchanged x", "git-index"],
  ["git worktree remove --force /repo", "git-foreign"],
  ["git worktree prune", "git-foreign"],
  ["git commit --no-verify -m x", "git-unchecked"],
  ["git commit -anm x", "git-unchecked"],
  ["git commit --amend --no-edit", "git-history"],
  ["git config core.hooksPath /dev/null", "git-config"],
  ["git config --global alias.x '!rm'", "git-config"],
  ["git -c core.hooksPath=/dev/null commit -m x", "git-config"],
  ["git reset --hard", "git-reset"],
  ["git reset --soft HEAD~1", "git-reset"],
  ["git reset HEAD~2", "git-reset"],
  ["git rebase main", "git-ref-moved"],
  ["git merge feature", "git-ref-moved"],
  ["git cherry-pick abc", "git-ref-moved"],
  ["git pull", "git-ref-moved"],
  ["git switch main", "git-switched"],
  ["git checkout main", "git-switched"],
  ["git checkout -b x", "git-switched"],
  ["git stash", "git-stash"],
  ["git stash pop", "git-stash"],
  ["git clean -fdx", "git-clean"],
  ["git apply x.diff", "git-apply"],
  ["GIT_DIR=/tmp/x git commit -m x", "git-elsewhere"],
  ["git --git-dir=/tmp/x --work-tree=. commit -m x", "git-elsewhere"],
  ["cd plugins && git reset --hard", "git-reset"],
  ["git -C /repo/plugins reset --hard HEAD", "git-reset"],
  ["sh -c 'git reset --hard'", "git-reset"],
  ["true; sudo git reset --hard", "git-reset"],
  ["holdpoint answer Echo 1", "person-only"],
  ["npm exec -- holdpoint answer Echo 1", "person-only"],
  ["npx -y holdpoint@latest answer Echo 1", "person-only"],
  ["node /usr/lib/holdpoint/dist/bin/holdpoint.cjs answer Echo 1", "person-only"],
  [`node -e "require('/x/holdpoint.cjs').main(['answer','Echo'])"`, "person-only"],
  ["screen -dm holdpoint answer Echo 1", "person-only"],
  ["holdpoint order Echo --take", "person-only"],
  [`node evil.js holdpoint ${SEALED}`, "sealed"],
  [`npm exec rmtool holdpoint ${SEALED}`, "sealed"],
  ["node --no-warnings /x/bin/holdpoint.js answer Echo 1", "person-only"],
  ["unset CLAUDECODE; holdpoint advance Echo", "person-only"],
  ["export CLAUDECODE=; holdpoint advance Echo", "person-only"],
  ["env --unset=CLAUDECODE holdpoint advance Echo", "person-only"],
  ["script -qc 'holdpoint answer Echo 1' /dev/null", "person-only"],
  ["git commit --no-verif -m x", "git-unchecked"],
  ["git commit --amen", "git-history"],
  ["git push origin HEAD --forc", "git-push-forced"],
  ["git checkout -f", "git-reset"],
  ["git worktree add --force . HEAD~1", "git-foreign"],
  ["npx holdpoint approve Echo", "person-only"],
  ["node ./node_modules/holdpoint/bin/holdpoint.js answer Echo 1", "person-only"],
  ["./node_modules/.bin/holdpoint adopt --all", "person-only"],
  ["holdpoint reconcile Echo --settings --reason x", "person-only"],
  ["holdpoint advance Echo --as person:me", "person-only"],
  ["env -u CLAUDECODE holdpoint advance Echo", "person-only"],
  ["env -i holdpoint advance Echo", "person-only"],
  ["HOLDPOINT_ACTOR=person:me holdpoint advance Echo", "person-only"],
  ["rm -rf .git", "store-owned"],
  ["rm -rf .", "store-owned"],
  ["rm -rf /repo", "store-owned"],
  ["rm -rf /", "store-owned"],
  ['rm "$X/.git/config"', "store-owned"],
  ["echo x >> .git/holdpoint/journals/a.jsonl", "store-owned"],
  ["cp x .git/hooks/pre-commit", "store-owned"],
  ["python3 -c \"open('.git/holdpoint/x','w')\"", "store-owned"],
  ["echo '{\"disableAllHooks\":true}' > .claude/settings.local.json", "client-settings"],
  ["rm -rf .claude", "client-settings"],
  ["rm ~/.copilot/hooks/holdpoint.json", "client-settings"],
  ['node -e \'fs.writeFileSync(".gemini/settings.json","{}")\'', "client-settings"],
  ["sed -i d /usr/lib/holdpoint/dist/bin/hook.cjs", "program-owned"],
  ["rm -rf node_modules/.bin", "program-owned"],
  ["mv /tmp/bin node_modules/.bin && mv node_modules/.bin x", "program-owned"],
  ["ln -sf /bin/true node_modules/.bin/holdpoint", "program-owned"],
];

describe("shell commands", () => {
  test.each([...WRITES_SEALED, ...FOUND_BY_ATTACK])("denied: %s", (command) => {
    expect(shell(command)).toBe("sealed");
  });

  test.each([...FOUND_LATER, ...HIDDEN])("not allowed: %s", (command) => {
    expect(shell(command)).not.toBe("allowed");
  });

  test.each(HARMLESS)("allowed: %s", (command) => {
    expect(shell(command)).toBe("allowed");
  });

  test.each(GOES_ROUND)("%s: %s", (command, code) => {
    expect(shell(command)).toBe(code);
  });

  test("what cannot be judged is denied where everything is held from whoever acts", () => {
    const agent = { id: "a1", type: "dsp-agent" };
    expect(shell("python3 -c 'import os; os.remove(x)'", { agent })).toBe("plan");
    expect(shell('rm "$f"', { agent })).toBe("plan");
    expect(shell("python3 -c 'print(1)'", { agent })).toBe("allowed");
    expect(shell("npm test src/a.ts", { agent })).toBe("allowed");
    expect(shell('rm "$f"')).toBe("path-unknown");
  });

  test.each([
    ["substitutions", `echo ${"$(".repeat(5000)}`],
    ["braces", `rm ${"{a,b}".repeat(40)}`],
    ["one word", "x".repeat(250_000)],
    ["a variable that grows", `${"a=$a$a;".repeat(3000)}rm $a`],
    ["quotes", "'".repeat(9999)],
    ["stars", `rm ${"*".repeat(20_000)}`],
    ["folders of stars", `rm ${"*/".repeat(150)}x`],
    ["brackets", `${"(".repeat(9000)}rm x`],
    ["here-documents", "cat <<A ".repeat(2000)],
    ["paths for one that passes them on", `echo ${"a ".repeat(500)} | ${"xargs ".repeat(500)} rm`],
    ["commands in commands", `${"echo $(ls ".repeat(11)}${")".repeat(11)}`.repeat(40)],
  ])(
    "an end is found where somebody made none: %s",
    (_, command) => {
      expect(shell(command)).toMatch(/\w/);
    },
    5_000,
  );

  test("the program of an editor is no file", () => {
    const agent = { id: "a1", type: "dsp-agent" };
    for (const command of [
      "sed -i s/a/b/ plugins/Echo/a.cpp",
      "sed -i -e s/a/b/ plugins/Echo/a.cpp",
      "perl -pi -e s/a/b/ plugins/Echo/a.cpp",
      "yq -i .a=1 plugins/Echo/a.yaml",
      "gawk -i inplace '{print}' plugins/Echo/a.cpp",
    ])
      expect([command, shell(command, { agent })]).toEqual([command, "allowed"]);
    expect(shell("sed -i s/a/b/ src/a.cpp", { agent })).toBe("plan");
  });

  test("the folder a client gives counts", () => {
    const tool = { kind: "shell", name: "x", command: "rm parameter-spec.md" } as const;
    expect(codeOf({ ...tool, cwd: "plugins/Echo/.ideas" })).toBe("sealed");
    expect(codeOf({ ...tool, cwd: "/tmp" })).toBe("allowed");
  });
});

describe("other tools", () => {
  test.each([
    [{ kind: "read", name: "Read" }, "allowed"],
    [{ kind: "agent", name: "Agent", type: "dsp-agent", prompt: SEALED }, "allowed"],
    [
      {
        kind: "mcp",
        name: "mcp__holdpoint__report",
        server: "holdpoint",
        tool: "report",
        input: SEALED,
      },
      "allowed",
    ],
    [
      {
        kind: "mcp",
        name: "mcp__fs__write_file",
        server: "fs",
        tool: "write_file",
        input: `{"path":"${SEALED}"}`,
      },
      "sealed",
    ],
    [
      {
        kind: "mcp",
        name: "mcp__fs__read_file",
        server: "fs",
        tool: "read_file",
        input: `{"path":"${SEALED}"}`,
      },
      "allowed",
    ],
    [
      {
        kind: "mcp",
        name: "mcp__fs__write_file",
        server: "fs",
        tool: "write_file",
        input: '{"path":"src/a"}',
      },
      "allowed",
    ],
    [{ kind: "unknown", name: "Scribble", input: `{"where":"/repo/${SEALED}"}` }, "sealed"],
    [
      { kind: "unknown", name: "Scribble", input: '{"where":"/repo/.claude/settings.json"}' },
      "client-settings",
    ],
    [{ kind: "unknown", name: "Scribble", input: "{}" }, "allowed"],
  ] as const)("%o: %s", (tool, code) => {
    expect(codeOf(tool)).toBe(code);
  });

  const mcp = (tool: string, input: object, server = "fs"): string =>
    codeOf({ kind: "mcp", name: tool, server, tool, input: JSON.stringify(input) });

  test("a command that goes in is judged as one, and git's tools as git", () => {
    expect(mcp("exec", { cmd: ["sh", "-c", "rm -rf plugins"] })).toBe("sealed");
    expect(mcp("exec", { command: "cd plugins/Echo/.ideas && rm *" })).toBe("sealed");
    expect(mcp("exec", { command: `cat ${SEALED}` })).toBe("allowed");
    expect(mcp("exec", { command: "cat", stdin: SEALED })).toBe("sealed");
    expect(mcp("exec", { command: "ls" })).toBe("allowed");
    expect(mcp("git_checkout", { repo_path: "/repo", branch_name: "x" })).toBe("git-switched");
    expect(mcp("git_status", { repo_path: "/repo" })).toBe("allowed");
    expect(mcp("git_add", { repo_path: "/repo", files: ["a"] })).toBe("allowed");
  });

  test("what may write somewhere is let be where nothing is held, though there be a journal", () => {
    for (const command of ["tar xf a.tar", "patch -p1 < x", "git ls-files | xargs sed -i s/a/b/"])
      expect([command, shell(command, {}, watch())]).toEqual([command, "allowed"]);
    expect(shell("rm -rf .", {}, watch())).toBe("store-owned");
  });

  test("a name that begins like reading, or like ours, is not taken for it", () => {
    for (const tool of ["get_and_write", "find_and_replace", "take_over", "findAndReplace"])
      expect([tool, mcp(tool, { path: SEALED })]).toEqual([tool, "sealed"]);
    for (const tool of ["get_file", "find_symbol", "take_screenshot", "listDirectory"])
      expect([tool, mcp(tool, { path: SEALED })]).toEqual([tool, "allowed"]);
    expect(mcp("write", { path: SEALED }, "holdpoint-too")).toBe("sealed");
  });

  test("a change of the client's settings is denied while something is held", () => {
    const changed: HookCall = {
      client: "claude",
      event: "settings",
      name: "ConfigChange",
      cwd: "/repo",
      session: "s",
      file: "/repo/.claude/settings.local.json",
    };
    expect(judge(watch(KEPT), changed, FACTS)).toMatchObject({ kind: "deny" });
    expect(judge(watch(), changed, FACTS)).toEqual({ kind: "allow" });
  });

  test("[TP-226] what is not understood is denied where something is held, and says so", () => {
    expect(judgeUnreadable(watch(KEPT), "x")).toMatchObject({
      kind: "deny",
      reasons: [{ code: "internal_error" }],
    });
    expect(judgeUnreadable(watch(), "x")).toEqual({ kind: "allow" });
    const { tool: _, ...without } = call({ kind: "read", name: "Read" });
    expect(judge(watch(KEPT), without, FACTS)).toMatchObject({
      reasons: [{ code: "internal_error" }],
    });
  });

  test("a family's own rule is cited", () => {
    const verdict = judge(
      watch(KEPT),
      call({ kind: "shell", name: "Bash", command: "git branch -f main x" }),
      FACTS,
    );
    expect(verdict).toMatchObject({
      reasons: [{ rule: "X-1", message: expect.stringContaining("Echo") }],
    });
  });
});

describe("a workflow that has begun, with nothing held yet", () => {
  const idle: Watch = { ...watch(), own: ["/repo/.git/holdpoint", "/repo/.git"] };
  const facts: Facts = { home: "/home/a", program: "", resolve: (path) => path };
  const shell = (command: string): HookCall => ({
    client: "claude",
    event: "before-tool",
    name: "PreToolUse",
    cwd: "/repo",
    session: "s",
    tool: { kind: "shell", name: "Bash", command },
  });

  test.each([
    "rm -rf .git/holdpoint",
    "echo x >> .git/holdpoint/journals/a.jsonl",
    "sed -i s/a/b/ .git/holdpoint/watch.json",
  ])("its journal is nobody's to write: %s", (command) => {
    expect(judge(idle, shell(command), facts)).toMatchObject({
      kind: "deny",
      reasons: [{ code: "store-owned" }],
    });
  });

  test.each([
    "cat .git/holdpoint/journals/a.jsonl",
    "git commit -am x",
    "echo x > src/a.ts",
    "rm -rf build",
  ])("all else is free: %s", (command) => {
    expect(judge(idle, shell(command), facts)).toEqual({ kind: "allow" });
  });
});
