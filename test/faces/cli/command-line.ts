import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, vi } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { main } from '../../../src/faces/cli/main.ts'
import { TOP } from '../../../scripts/run-tool.ts'

/** What a command came to. */
export interface CommandEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
  /** Each line of stdout that is a result. */
  readonly rows: readonly ToolResult[]
}

/** A workspace with a state folder of its own, worked on by real processes without a terminal. */
export interface Shop {
  readonly root: string
  readonly stateDir: string
  readonly env: NodeJS.ProcessEnv
  readonly put: (name: string, data: string) => void
  readonly get: (name: string) => string | null
  readonly tongs: (words: readonly string[], more?: RunWish) => Promise<CommandEnd>
  /** Runs a batch that nobody can be asked about. */
  readonly batch: (calls: readonly unknown[], ...words: readonly string[]) => Promise<CommandEnd>
  readonly pendingIds: () => Promise<readonly string[]>
  readonly remove: () => void
}

interface RunWish {
  readonly stdin?: string
  /** Options of Node itself, such as a module to load first. */
  readonly node?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** The root if absent. */
  readonly cwd?: string
}

export const TONGS = join(TOP, 'bin', 'tongs')

/** Makes one with these files in it. */
export function makeShop(files: Readonly<Record<string, string>> = {}): Shop {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-shop-'))
  const root = join(top, 'root')
  const stateDir = join(top, 'state')
  mkdirSync(root)
  const put = (name: string, data: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), data)
  }
  for (const [name, data] of Object.entries(files)) put(name, data)
  const env = { ...process.env, TONGS_STATE_DIR: stateDir, HOME: top, XDG_CONFIG_HOME: join(top, 'config') }

  function tongs(words: readonly string[], wish: RunWish = {}): Promise<CommandEnd> {
    const [program, first] =
      wish.node === undefined
        ? [TONGS, []]
        : [process.execPath, [...wish.node, join(TOP, 'bin', 'tongs.cjs')]]
    return new Promise((resolve, reject) => {
      // A session of its own has no controlling terminal, whoever runs the tests.
      const child = spawn(program, [...first, ...inRoot(words, root)], {
        cwd: wish.cwd ?? root,
        env: { ...env, ...wish.env },
        detached: true,
      })
      let out = ''
      let err = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk))
      child.on('error', reject)
      child.on('close', (code, signal) => resolve({ code, signal, out, err, rows: readRows(out) }))
      child.stdin.on('error', () => undefined).end(wish.stdin ?? '')
    })
  }

  return {
    root,
    stateDir,
    env,
    put,
    get: (name) => (existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : null),
    tongs,
    batch: (calls, ...words) =>
      tongs(['batch', '-', '--json', '--no-input', ...words], { stdin: JSON.stringify(calls) }),
    pendingIds: () => listPending(tongs),
    // A process that has just been ended may still write there.
    remove: () => rmSync(top, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** The same words with the root they mean: the temporary folder may lie in somebody's repository. */
export function inRoot(words: readonly string[], root: string): readonly string[] {
  return words.includes('--root') ? words : [...words, '--root', root]
}

function readRows(out: string): readonly ToolResult[] {
  return out.split('\n').flatMap((line) => {
    if (!line.startsWith('{"id":')) return []
    return [JSON.parse(line) as ToolResult]
  })
}

/** The same shop, its commands run in this process, where they cost next to nothing: only the program that starts them is left out. */
export function shopHere(shop: Shop): Shop {
  const tongs = (words: readonly string[]): Promise<CommandEnd> => runHere(shop, [...words, '--no-input'])
  return {
    ...shop,
    tongs,
    batch: (calls, ...words) => {
      const file = join(shop.stateDir, '..', 'batch.json')
      writeFileSync(file, JSON.stringify(calls))
      return tongs(['batch', file, '--json', ...words])
    },
    pendingIds: () => listPending(tongs),
  }
}

/** Makes shops whose commands run in this process, and removes them after the tests of a file. */
export function useShops(): (files?: Readonly<Record<string, string>>) => Shop {
  const shops: Shop[] = []
  afterAll(() => {
    for (const made of shops) made.remove()
  })
  return (files) => {
    const made = makeShop(files)
    shops.push(made)
    return shopHere(made)
  }
}

async function runHere(shop: Shop, words: readonly string[]): Promise<CommandEnd> {
  let out = ''
  let err = ''
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => ((out += String(chunk)), true)),
    vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => ((err += String(chunk)), true)),
  ]
  vi.stubEnv('TONGS_STATE_DIR', shop.stateDir)
  try {
    const code = await main(inRoot(words, shop.root))
    return { code, signal: null, out, err, rows: readRows(out) }
  } finally {
    for (const spy of spies) spy.mockRestore()
    vi.unstubAllEnvs()
  }
}

async function listPending(tongs: Shop['tongs']): Promise<readonly string[]> {
  const { out } = await tongs(['pending', '--json'])
  const { approvals } = JSON.parse(out) as { readonly approvals: readonly { readonly id: string }[] }
  return approvals.map(({ id }) => id)
}

/** A call that writes its own name into a file. */
export function writes(name: string): { readonly id: string; readonly name: string; readonly args: unknown } {
  return { id: name, name: 'write_file', args: { path: name, content: `${name}\n` } }
}
