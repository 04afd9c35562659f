import { cpSync, existsSync, globSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { TOP } from '../../../scripts/run-tool.ts'
import { openTerminal } from '../../../src/faces/cli/terminal.ts'
import { isJsonObject, parseJson } from '../../../src/core/json/value.ts'
import { chooserFrom, HARDENING_SEED, shuffled, someOf, triesOf } from '../../harness/long-run.ts'
import { ACTS, fieldsOfLog, HOSTILE, onDatabase, spoilField } from '../hostile-fields.ts'
import { makeShop, shopHere } from './command-line.ts'

const TIMEOUT_MS = 600_000

const shop = makeShop({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
afterAll(shop.remove)
const here = shopHere(shop)
const saved = join(shop.stateDir, '..', 'saved')
let commands: readonly (readonly string[])[] = []

/** Every kind of thing that a log can tell of, as far as it takes no model that thinks. */
beforeAll(async () => {
  const calls = [
    { id: 'c1', name: 'read_file', args: { path: 'a.txt' } },
    { id: 'c2', name: 'todo_write', args: { action: 'add', items: [{ title: 'a task' }] } },
    { id: 'c3', name: 'write_file', args: { path: 'c.txt', content: 'c\n' } },
    { id: 'c4', name: 'run_shell', args: { cmd: ['sh', '-c', 'echo hi > d.txt'] } },
    { id: 'c5', name: 'read_file', args: { path: 'nothing' } },
  ]
  shop.put('../script.json', JSON.stringify({ turns: [{ text: 'I begin.', calls }, { text: 'Done.' }] }))
  const write = (path: string): string => JSON.stringify({ path, content: `${path}\n` })
  for (const words of [
    ['run', 'go', '--model', `script:${shop.root}/../script.json`, '--session', 's', '--yes'],
    ['sessions', 'rename', 's', 'a title'],
    ['call', 'write_file', write('e.txt')],
    ['approve', 'all', '--scope', 'path:e.txt'],
    ['call', 'write_file', write('e.txt')],
    ['call', 'write_file', write('f.txt'), '--yes'],
    ['undo', '--yes'],
    ['call', 'write_file', write('g.txt'), '--session', 'k'],
    ['deny', 'all', '--session', 'k', '--say', 'no'],
    ['call', 'write_file', write('h.txt')],
    ['call', 'run_shell', '{"cmd":["sh","-c","echo hi > y.txt"]}'],
    ['forget', '--session', 'k', '--yes'],
  ])
    await here.tongs(words)
  cpSync(shop.stateDir, saved, { recursive: true })
  const executions = onDatabase(shop.stateDir, (sqlite) =>
    sqlite
      .statement('SELECT DISTINCT execution FROM about ORDER BY execution')
      .all()
      .map(({ execution }) => String(execution)),
  )
  expect(executions.length).toBeGreaterThan(8)
  commands = [
    ['log'],
    ['log', '--markdown'],
    ['log', '--json'],
    ['stats'],
    ['audit', 'export'],
    ['audit', 'export', '--json'],
    ['audit', 'verify'],
    ['pending'],
    ['sessions'],
    ['tasks'],
    ['grants', '--all'],
    ['policy', 'replay'],
    ['recover'],
    ['undo', '--dry-run'],
    ['undo', '--session', 's', '--dry-run'],
    ['redo', '--dry-run'],
    ['forget', '--dry-run', '--session', 's'],
    ['repair', '--dry-run'],
    ['doctor'],
    ['config', 'show'],
    ['rules'],
    ['trust', '--dry-run'],
    ['mcp', 'list'],
    ...executions.map((execution) => ['why', execution]),
  ]
}, TIMEOUT_MS)

function restore(): void {
  if (existsSync(shop.stateDir))
    for (const name of readdirSync(shop.stateDir))
      rmSync(join(shop.stateDir, name), { recursive: true, force: true })
  cpSync(saved, shop.stateDir, { recursive: true })
}

/** What commands print that a terminal would act on, or that is a crash, with the command. */
async function findLeaks(): Promise<readonly string[]> {
  const leaks: string[] = []
  for (const words of commands) {
    const { out, err } = await here.tongs(words)
    for (const row of `${out}${err}`.split('\n'))
      if (ACTS.test(row) || row.includes('unexpected error'))
        leaks.push(`${words.join(' ')}: ${JSON.stringify(row)}`)
  }
  return leaks
}

describe('whatever another program writes into the log, a terminal is not told what to do', () => {
  it(
    'with a hostile text in any field of its entries and contents',
    async () => {
      restore()
      const fields = fieldsOfLog(shop.stateDir)
      expect(fields).toEqual(expect.arrayContaining(['state', 'execution', 'verdict', 'durationMs', 'kind']))
      const choose = chooserFrom(HARDENING_SEED)
      for (const field of shuffled(fields, choose).slice(0, triesOf(5, 60))) {
        restore()
        spoilField(shop.stateDir, field)
        expect(await findLeaks(), `${field}, seed ${HARDENING_SEED}`).toEqual([])
      }
    },
    TIMEOUT_MS,
  )

  it.each(['state', 'verdict', 'durationMs', 'fsReads', 'execution'])(
    'with a hostile text as %s',
    async (field) => {
      restore()
      spoilField(shop.stateDir, field)
      expect(await findLeaks()).toEqual([])
    },
    TIMEOUT_MS,
  )

  it(
    'with a hostile text in any column of the tables that are derived from it',
    async () => {
      restore()
      const columns = onDatabase(shop.stateDir, (sqlite) =>
        sqlite
          .statement(
            `SELECT t.name AS name, c.name AS col FROM sqlite_schema t, pragma_table_info(t.name) c
             WHERE t.type = 'table' AND c.type IN ('TEXT', 'ANY') AND (t.name, c.name) <> ('log', 'body')`,
          )
          .all()
          .map(({ name, col }) => [String(name), String(col)] as const),
      )
      expect(columns.length).toBeGreaterThan(12)
      for (const [table, column] of someOf(columns, 4)) {
        restore()
        onDatabase(shop.stateDir, (sqlite) =>
          sqlite.statement(`UPDATE OR IGNORE ${table} SET ${column} = ? || ${column}`).run(HOSTILE),
        )
        expect(await findLeaks(), `${table}.${column}`).toEqual([])
      }
    },
    TIMEOUT_MS,
  )

  it('control: the text is in what is read, and reaches a terminal where it is printed as it is', async () => {
    restore()
    spoilField(shop.stateDir, 'name')
    const { out } = await here.tongs(['log', '--json'])
    const names = out
      .trim()
      .split('\n')
      .flatMap((row) => {
        const entry = parseJson(row)
        return isJsonObject(entry) && typeof entry['name'] === 'string' ? [entry['name']] : []
      })
    expect(names.filter((name) => ACTS.test(name)).length).toBeGreaterThan(4)
    expect((await here.tongs(['stats'])).out).toMatch(/read_file/)
  })
})

describe('a command that does not sanitize what it prints', () => {
  it.each(['print', 'say', 'write', 'warn', 'writeNotice'] as const)(
    'tells a terminal nothing by %s',
    (way) => {
      let said = ''
      const spies = [process.stdout, process.stderr].map((stream) =>
        vi.spyOn(stream, 'write').mockImplementation((chunk) => ((said += String(chunk)), true)),
      )
      try {
        openTerminal()[way](`before ${HOSTILE} after`)
      } finally {
        for (const spy of spies) spy.mockRestore()
      }
      expect(said.trimEnd()).toMatch(/^before .* after$/)
      expect(said).not.toMatch(ACTS)
    },
  )

  it('has no other way out: nothing but the terminal and the prompt writes to a stream', () => {
    const face = join(TOP, 'src', 'faces', 'cli')
    const writers = globSync('**/*.ts', { cwd: face }).filter((file) =>
      /process\.std(?:out|err)\.write|\bwriteSync\(|\bconsole\./.test(readFileSync(join(face, file), 'utf8')),
    )
    expect(writers.toSorted()).toEqual([join('prompts', 'prompt-terminal.ts'), 'terminal.ts'])
  })
})
