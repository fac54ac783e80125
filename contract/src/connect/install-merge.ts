/**
 * Shell functions of the setup script that put a connection into a file which is there already, so that a person's other settings stay. Each prints
 * the merged file and fails, with nothing printed that counts, where that is not safe. Plain POSIX sh; the key comes on standard input, since
 * arguments are seen by every account of the machine.
 */

/**
 * Variables of Claude Code that are taken out: with them its calls would go elsewhere, or another vendor's key would be sent to this gateway
 * (https://code.claude.com/docs/en/env-vars).
 */
const IN_THE_WAY = [
  "ANTHROPIC_API_KEY",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
];

/** In the words of Node.js and Python; neither uses a single quote, which ends the text for sh. */
const WITH_NODE = [
  'const fs = require("fs");',
  'const { argv, exit, stdout } = require("process");',
  'const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);',
  'const own = JSON.parse(fs.readFileSync(argv[1], "utf8").replace(/^\\uFEFF/, ""));',
  'const added = JSON.parse(fs.readFileSync(0, "utf8"));',
  "if (!isObject(own) || !isObject(own.env === undefined ? {} : own.env)) exit(1);",
  "own.env = Object.assign({}, own.env);",
  `for (const name of ${JSON.stringify(IN_THE_WAY)}) delete own.env[name];`,
  "Object.assign(own.env, added.env);",
  'stdout.write(JSON.stringify(own, null, 2) + "\\n");',
].join("\n");

const WITH_PYTHON = [
  "import json, sys",
  'own = json.loads(open(sys.argv[1], "rb").read().decode("utf-8-sig"))',
  'added = json.loads(sys.stdin.buffer.read().decode("utf-8"))',
  'if not isinstance(own, dict) or not isinstance(own.get("env", {}), dict): sys.exit(1)',
  'env = {name: value for name, value in own.get("env", {}).items()',
  `       if name not in ${JSON.stringify(IN_THE_WAY)}}`,
  'env.update(added["env"])',
  'own["env"] = env',
  'sys.stdout.buffer.write((json.dumps(own, indent=2, ensure_ascii=False) + "\\n").encode("utf-8"))',
].join("\n");

/** `merge_json <file> <text>`: the variables of the text among those of the file. Needs Node.js or Python; sh cannot read JSON. */
export const MERGE_JSON = `merge_json() {
  if command -v node >/dev/null 2>&1; then
    printf '%s' "$2" | node -e '${WITH_NODE}' "$1"
  elif command -v python3 >/dev/null 2>&1; then
    printf '%s' "$2" | python3 -c '${WITH_PYTHON}' "$1"
  else
    return 1
  fi 2>/dev/null
}`;

/**
 * `merge_toml <file> <text> <table>`: the keys before the text's first table stand before all others, whose namesakes go, and so does \`profile\`, which
 * would choose another model; the text's own table replaces the one of that name. Refused are files whose lines cannot be separated without a parser:
 * with strings over several lines, line ends of Windows, or providers that are no tables of their own.
 */
export const MERGE_TOML = `merge_toml() {
  if grep -q '"""' "$1" || grep -q "'''" "$1" || grep -Eq '^[[:space:]]*model_providers[[:space:]]*[.=]' "$1"; then return 1; fi
  if grep -q "$(printf '\\r')" "$1" || grep -Eq '^[[:space:]]*\\[[[:space:]]*model_providers[[:space:]]*\\]' "$1"; then return 1; fi
  printf '%s\\n' "$2" | awk '/^\\[/ { exit } { print }'
  awk -v own="$3" '
    /^[ \\t]*\\[\\[?[A-Za-z0-9_."-][^]]*\\]\\]?[ \\t]*(#.*)?$/ {
      inTable = 1
      name = $0
      gsub(/^[ \\t]*\\[+[ \\t]*|[ \\t]*\\]+[ \\t]*(#.*)?$/, "", name)
      gsub(/"/, "", name)
      isOwn = name == own || index(name, own ".") == 1
    }
    isOwn { next }
    !inTable && /^[ \\t]*(model|model_provider|profile)[ \\t]*=/ { next }
    { print }
  ' "$1"
  printf '\\n'
  printf '%s\\n' "$2" | awk '/^\\[/ { found = 1 } found { print }'
}`;
