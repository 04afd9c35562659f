import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { OpenList, RanTest, Requirement } from './requirement-check.ts'

const LIST = 'data/requirements.json'
const OPEN = 'data/open-requirements.json'

/** The list of everything asked for. */
export function readRequirements(top: string): readonly Requirement[] {
  return JSON.parse(readFileSync(join(top, LIST), 'utf8')) as readonly Requirement[]
}

/** What is open now. */
export function readOpenList(top: string): OpenList {
  return JSON.parse(readFileSync(join(top, OPEN), 'utf8')) as OpenList
}

/** Takes ids off the open list. */
export function closeRequirements(top: string, ids: readonly string[]): OpenList {
  const before = readOpenList(top)
  const open = Object.fromEntries(Object.entries(before.open).filter(([id]) => !ids.includes(id)))
  const after = { ...before, open }
  writeFileSync(join(top, OPEN), `${JSON.stringify(after, null, 2)}\n`)
  return after
}

/** The open list in every commit that changed it; none where there is no repository or no history. */
export function readEarlierOpenLists(top: string): readonly OpenList[] {
  const commits = git(top, ['log', '--format=%H', '--', OPEN])?.split('\n') ?? []
  return commits.flatMap((commit) => {
    const text = commit === '' ? null : git(top, ['show', `${commit}:./${OPEN}`])
    return text === null ? [] : [JSON.parse(text) as OpenList]
  })
}

function git(top: string, args: readonly string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: top, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return null
  }
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[]
  }[]
}

/** The tests in a report of the runner. */
export function readTests(top: string, file: string): readonly RanTest[] {
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, status }) => ({ title, status, file: relative(top, name) })),
  )
}
