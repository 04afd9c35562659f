import { readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sessionId } from '../../src/journal/chain/chain.ts'
import { putOdd } from '../harness/odd-files.ts'
import { recordCall } from './sample-entries.ts'
import { makeStateFolder, SESSION } from './state-folder.ts'

const PUT: Readonly<Record<string, (path: string) => void>> = {
  'other bytes': (path) => writeFileSync(path, 'x'.repeat(600)),
  'a named pipe': (path) => putOdd(path, 'a named pipe'),
  'a folder': (path) => putOdd(path, 'a folder'),
  'a link to itself': (path) => putOdd(path, 'a link to itself'),
  'a link out of the project': (path) => putOdd(path, 'a link out of the project'),
}

describe('what is in the place of an anchor', () => {
  it.each(Object.keys(PUT))(
    '%s: is named by audit verify, before and after others used the session',
    async (kind) => {
      const folder = makeStateFolder()
      await folder.use((log) => void recordCall(log, 1, [], 'durable'))
      const path = folder.files.anchorOf(sessionId(SESSION))
      PUT[kind]?.(path)
      expect(folder.verify()).toMatchObject({ ok: false })
      for (const number of [2, 3]) await folder.use((log) => void recordCall(log, number, [], 'durable'))
      const report = folder.verify()
      expect(report).toMatchObject({ ok: false })
      expect(JSON.stringify(report.first_bad)).toMatch(/anchor/)
      expect(readdirSync(folder.files.anchors).filter((name) => name.endsWith('.forged'))).toHaveLength(1)
    },
  )
})
