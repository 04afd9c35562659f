/** How the content of a file is checked. */
export type Language =
  | { readonly is: 'elisp' | 'json' | 'toml'; readonly extension: string }
  | { readonly is: 'tree'; readonly grammar: string; readonly extension: string }

/** Grammars by extension. Those that take sound files for broken ones are not among them. */
const GRAMMARS: Readonly<Record<string, string>> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  py: 'python',
  pyi: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
  rb: 'ruby',
  css: 'css',
  sh: 'bash',
  bash: 'bash',
  cs: 'c-sharp',
  php: 'php',
}

/** Names of files that end in .json and may hold comments all the same. */
const COMMENTED = [
  /^(?:ts|js)config(?:[.-].*)?\.json$/,
  /^(?:devcontainer|tslint|deno|biome|turbo|wrangler|api-extractor|language-configuration)\.json$/,
  /^\.(?:eslintrc|babelrc|swcrc|jshintrc|oxlintrc|oxfmtrc|devcontainer)\.json$/,
]
const COMMENTED_FOLDERS = new Set(['.vscode', '.devcontainer', '.zed'])

/** Says in which language a file is written; null where nothing checks it. */
export function languageOf(path: string): Language | null {
  const names = path.split('/')
  const name = (names.at(-1) ?? '').toLowerCase()
  const extension =
    /[^.]\.([^.]+)$|^\.([^.]+)$/
      .exec(name)
      ?.slice(1)
      .find((part) => part !== undefined) ?? ''
  if (extension === 'el') return { is: 'elisp', extension }
  if (extension === 'toml') return { is: 'toml', extension }
  if (extension === 'json') {
    const mayComment =
      COMMENTED.some((pattern) => pattern.test(name)) || COMMENTED_FOLDERS.has(names.at(-2) ?? '')
    return mayComment ? null : { is: 'json', extension }
  }
  const grammar = Object.hasOwn(GRAMMARS, extension) ? GRAMMARS[extension] : undefined
  return grammar === undefined ? null : { is: 'tree', grammar, extension }
}
