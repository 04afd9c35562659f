import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { compareFiles, describeFiles, withoutTimes } from '../../harness/layers/describe-files.ts'
import type { Files } from '../../harness/layers/describe-files.ts'
import type { CommandEnd, Shop } from './command-line.ts'

/** A question about what a command changed. */
export interface Asked {
  readonly id: string
  readonly kind: string
  readonly changes: readonly { readonly path: string; readonly change: string }[]
  readonly size: number
  readonly diff: string | null
}

/** A call of the shell. */
export const shellCall = (line: string, id = 'c') => ({
  id,
  name: 'run_shell',
  args: { cmd: ['sh', '-c', line] },
})

/** The folders of layers that are kept, one for each call. */
export function layersOf({ stateDir }: Shop): readonly string[] {
  const place = join(stateDir, 'layers')
  return existsSync(place) ? readdirSync(place) : []
}

/** The questions that wait. */
export async function questionsIn(shop: Shop): Promise<readonly Asked[]> {
  const { out } = await shop.tongs(['pending', '--json'])
  return (JSON.parse(out) as { approvals: Asked[] }).approvals
}

/** What a command does to a copy of the workspace where nothing is between them. */
export function runPlainly({ root }: Shop, line: string, env: NodeJS.ProcessEnv = {}): Files {
  const copy = `${root}-copy`
  cpSync(root, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  execFileSync('sh', ['-c', line], { cwd: copy, env: { ...process.env, ...env }, stdio: 'pipe' })
  return describeFiles(copy)
}

/** A command that was asked about, landed, undone and redone, and the workspace at each of these times. */
export interface Landed {
  readonly asked: Asked
  readonly before: Files
  readonly after: Files
}

/** Runs a command and everything that can be done with what it changed; each state is compared with what it must be. */
export async function landAndBack(shop: Shop, line: string): Promise<Landed> {
  const before = describeFiles(shop.root)
  const ran = await shop.batch([shellCall(line)])
  expect(ran.rows[0]?.content ?? ran.err).toContain('approval')
  expect(ran.code).toBe(4)
  expect(compareFiles(before, describeFiles(shop.root))).toEqual([])
  const [asked, ...others] = await questionsIn(shop)
  if (asked === undefined || others.length > 0) throw new Error(`not one question but ${others.length}`)
  succeed(await shop.tongs(['approve', asked.id, '--json']))
  const after = describeFiles(shop.root)
  for (const [word, wanted] of [
    ['undo', before],
    ['redo', after],
    ['undo', before],
    ['redo', after],
  ] as const) {
    succeed(await shop.tongs([word, '--yes', '--json', '--session', 'cli']))
    expect(compareFiles(wanted, describeFiles(shop.root)), word).toEqual([])
  }
  succeed(await shop.tongs(['audit', 'verify']))
  return { asked, before, after }
}

/** The names of files and links that differ. */
export function changedNames(before: Files, after: Files): readonly string[] {
  const isLeaf = (line: string | undefined): boolean => line !== undefined && !line.startsWith('d ')
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => isLeaf(before.get(path)) || isLeaf(after.get(path)))
    .filter((path) => {
      const [one, other] = [before, after].map((files) =>
        withoutTimes(new Map([[path, files.get(path) ?? '']])),
      )
      return one?.get(path) !== other?.get(path)
    })
    .toSorted()
}

function succeed({ code, out, err }: CommandEnd): void {
  if (code !== 0) throw new Error(`ended with ${code}: ${out}${err}`)
}
