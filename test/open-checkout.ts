import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { TOP } from '../scripts/run-tool.ts'
import { isOpenToOthers } from './harness/open-to-others.ts'

/** What a program of the tests may load, besides the packages it depends on. */
const PARTS = ['package.json', 'bin', 'data', 'dist', 'scripts', 'src', 'test']

let copy: string | null = null

/** Root also tests as somebody else. Where only root gets at the checkout, they are given a copy and a Node of their own. */
export function setup(): void {
  if (process.getuid?.() !== 0) return
  const parts = PARTS.filter((part) => existsSync(join(TOP, part)))
  const needed = [process.execPath, join(TOP, 'node_modules'), ...parts.map((part) => join(TOP, part))]
  if (needed.every(isOpenToOthers)) return
  copy = mkdtempSync(join(tmpdir(), 'checkout-'))
  for (const part of [...parts, ...packages()]) {
    mkdirSync(join(copy, dirname(part)), { recursive: true })
    // Keeps times to the nanosecond, else the bundle would not match the sources.
    execFileSync('cp', ['-pR', join(TOP, part), join(copy, part)])
  }
  const node = join(copy, 'node')
  copyFileSync(process.execPath, node)
  execFileSync('chmod', ['-R', 'a+rX', copy])
  process.env['OPEN_CHECKOUT'] = copy
  process.env['OPEN_NODE'] = node
}

/** Takes the copy away again. */
export function teardown(): void {
  if (copy !== null) rmSync(copy, { recursive: true, force: true })
}

/** The folders of the packages that are installed with Tongs. */
function packages(): readonly string[] {
  const lock = JSON.parse(readFileSync(join(TOP, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
  }
  return Object.entries(lock.packages)
    .filter(([path, { dev }]) => path.startsWith('node_modules/') && dev !== true)
    .map(([path]) => path)
    .filter((path) => !dirname(path).includes('/node_modules') && existsSync(join(TOP, path)))
}
