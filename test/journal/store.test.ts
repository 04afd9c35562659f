import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openStore } from '../../src/journal/open-store.ts'
import { openSqliteStore } from '../../src/journal/store/sqlite-store.ts'
import { describeStore } from './store-contract.ts'

const top = mkdtempSync(join(tmpdir(), 'tongs-store-'))
let number = 0

afterAll(() => rmSync(top, { recursive: true, force: true }))

for (const durability of ['full', 'normal', 'memory'] as const) {
  describeStore(durability, (clock) =>
    openStore({ stateDir: join(top, String(number++)), durability, clock }),
  )
}

for (const durability of ['full', 'normal'] as const)
  for (const segments of ['always', 'never'] as const) {
    describeStore(`${durability}, segments ${segments}`, (clock) =>
      openSqliteStore({ stateDir: join(top, String(number++)), durability, clock, segments }),
    )
  }
