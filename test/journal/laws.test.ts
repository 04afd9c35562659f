import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { SessionLog } from '../../src/journal/log.ts'
import { mergeSeen } from '../../src/journal/store/ledger.ts'
import { openMemoryStore } from '../../src/journal/store/memory-store.ts'
import { openSqliteStore } from '../../src/journal/store/sqlite-store.ts'
import { verifyStore } from '../../src/journal/chain/verify-store.ts'
import { batchOf, changeOf, execution, payloadsOf, settledOf } from './sample-entries.ts'
import { handClock, seen } from './store-contract.ts'
import { roundsOf } from '../harness/long-run.ts'

const top = mkdtempSync(join(tmpdir(), 'tongs-laws-'))
afterAll(() => rmSync(top, { recursive: true, force: true }))

const number = fc.nat({ max: 9 })
const path = fc.constantFrom('/r/a', '/r/b', '/r/ü')
const lines = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.nat({ max: 4 }))
  .map(([first, more]) => [first, first + more] as const)
const action = fc.oneof(
  fc.record({ is: fc.constant('declare' as const), number, more: number }),
  fc.record({ is: fc.constant('settle' as const), number, isEdit: fc.boolean() }),
  fc.record({ is: fc.constant('undo' as const), number }),
  fc.record({ is: fc.constant('land' as const), number }),
  fc.record({
    is: fc.constant('see' as const),
    path,
    digest: fc.constantFrom('d1', 'd2', null),
    lines: fc.option(lines),
    forget: fc.boolean(),
  }),
  fc.record({ is: fc.constant('look' as const) }),
  fc.record({ is: fc.constant('reopen' as const) }),
)
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

/** Leaves out what cannot happen: a call is declared, settled, landed and undone once each, in this order. */
function plausible(actions: readonly Action[]): readonly Action[] {
  const past = new Set<string>()
  const needs = { declare: null, settle: null, undo: 'settle', land: 'settle' } as const
  return actions.filter((what) => {
    if (!('number' in what)) return true
    const numbers = what.is === 'declare' ? [what.number, what.more] : [what.number]
    const need = needs[what.is]
    const isNew = numbers.every(
      (one) => !past.has(`${what.is} ${one}`) && (what.is !== 'declare' || !past.has(`settle ${one}`)),
    )
    if (!isNew || (need !== null && !past.has(`${need} ${what.number}`))) return false
    for (const one of numbers) past.add(`${what.is} ${one}`)
    return true
  })
}

function perform(log: SessionLog, what: Action, base: number): void {
  const id = 'number' in what ? base + what.number : 0
  switch (what.is) {
    case 'declare':
      log.append({
        entries: [batchOf(`b${id}`, [...new Set([id, base + what.more])])],
        payloads: payloadsOf(`args ${id}`, `args ${base + what.more}`),
        reliance: 'recorded',
      })
      break
    case 'settle':
      log.append({
        entries: [settledOf('b', id, what.isEdit ? [changeOf('a', 'x', 'y')] : [])],
        payloads: payloadsOf('x', 'y', `result ${id}`),
        reliance: 'durable',
      })
      break
    case 'undo': {
      const changes = [changeOf('a', 'y', 'x')]
      const entry = {
        kind: 'undo',
        execution: execution(id + 50),
        calls: [execution(id)],
        changes,
        actor: null,
      } as const
      log.append({ entries: [entry], unseen: ['/r/a'], reliance: 'durable' })
      break
    }
    case 'land':
      log.landed(execution(id))
      break
    case 'see':
      log.append({
        entries: [],
        seen: [seen(what.path, what.digest, what.lines)],
        ...(what.forget ? { unseen: ['/r/b', what.path] } : {}),
        reliance: 'recorded',
      })
      break
    case 'look':
      log.openBatches()
      break
    case 'reopen':
  }
}

function picture(log: SessionLog, base: number): unknown {
  return {
    hashes: [...log.entries()].map(({ hash }) => hash),
    newest: [...log.newestFirst('settled')].map(({ seq }) => seq),
    ledger: ['/r/a', '/r/b', '/r/ü'].map((one) => log.ledger(one)),
    open: log
      .openBatches()
      .map(({ batch }) => batch)
      .toSorted(),
    unlanded: log
      .unlanded()
      .map((one) => one.execution)
      .toSorted(),
    about: Array.from({ length: 60 }, (_, at) => log.about(execution(base + at)).map(({ seq }) => seq)),
    payload: log.payload(
      payloadsOf(`args ${base + 3}`)
        .keys()
        .next().value ?? '',
    )?.length,
  }
}

describe('laws of the journal', () => {
  it.for([
    [
      'a log on disk and one in memory cannot be told apart, whatever is done and however often it is reopened',
      'auto',
    ],
    ['nor can one that uses a segment from the start', 'always'],
    ['nor can one that never uses a segment', 'never'],
  ] as const)('%s', async ([, segments]) => {
    const stateDir = join(top, segments)
    const clock = handClock()
    let base = 0
    let disk = openSqliteStore({ stateDir, durability: 'normal', clock, segments })
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
        base += 100
        const memory = openMemoryStore(clock)
        const key = { root: '/r', name: `run ${base}` }
        let [one, two] = [await disk.open(key), await memory.open(key)]
        for (const what of plausible(actions)) {
          clock.set(base)
          perform(one, what, base)
          perform(two, what, base)
          if (what.is !== 'reopen') continue
          disk.close()
          two.close()
          disk = openSqliteStore({ stateDir, durability: 'normal', clock, segments })
          ;[one, two] = [await disk.open(key), await memory.open(key)]
        }
        expect(picture(one, base)).toEqual(picture(two, base))
        one.close()
      }),
      { numRuns: roundsOf(20, 60) },
    )
    disk.close()
    expect(verifyStore(stateDir)).toMatchObject({ ok: true })
  })

  it('the ledger knows exactly the lines that were shown of the newest content', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('d1', 'd2'), lines), { minLength: 1 }), (shown) => {
        let row: ReturnType<typeof mergeSeen> | null = null
        const known = new Set<number>()
        let newest = ''
        for (const [digest, [from, to]] of shown) {
          if (digest !== newest) known.clear()
          newest = digest
          for (let line = from; line <= to; line++) known.add(line)
          row = mergeSeen(row, seen('/r/a', digest, [from, to]))
        }
        const ranges = row?.ranges ?? []
        const covered = ranges.flatMap(({ start_line, end_line }) =>
          Array.from({ length: end_line - start_line + 1 }, (_, at) => start_line + at),
        )
        expect(covered).toEqual([...known].toSorted((a, b) => a - b))
        for (const [index, { start_line }] of ranges.entries()) {
          if (index > 0) expect(start_line).toBeGreaterThan((ranges[index - 1]?.end_line ?? 0) + 1)
        }
      }),
    )
  })
})
