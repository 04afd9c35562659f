import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { benchAskingBefore } from '../../bench-folder.ts'

const FILES = { 'prod/a.txt': 'a\n' }

/** Every tool that starts a command in the folder of its call. */
const STARTS: readonly (readonly [string, JsonObject])[] = [
  ['run_shell', { cmd: ['rm', '-r', '.'] }],
  ['run_tests', { command: ['rm', '-r', '.'] }],
  ['run_command', { command: 'rm -r .' }],
]

const CONFIG = { 'tools.run_command.enabled': true }

describe('the folder in which a command would run', () => {
  it.each(STARTS)('is in the question about %s, at once and while it waits', async (name, args) => {
    const b = benchAskingBefore(FILES)
    const asked: ApprovalRequest[] = []
    const call = { id: '1', name, args, meta: { cwd: 'prod' } }
    const runtime = await b.open({
      durability: 'normal',
      config: CONFIG,
      approve: (requests) => {
        asked.push(...requests)
        return 'later'
      },
    })
    await runtime.run([call])
    const approvals = await runtime.pending()
    for (const request of [asked[0], approvals[0]]) {
      expect(request?.summary).toMatch(/\b[Ii]n prod\b/)
      expect(request?.cwd ?? request?.call.args['cwd']).toBe('prod')
    }
    await runtime.close()
  })

  it.each(STARTS)('is told to a gate about %s', async (name, args) => {
    const b = benchAskingBefore(FILES)
    const seen = join(b.top, 'seen.json')
    const gate = b.put('gate.sh', `#!/bin/sh\ncat > ${seen}\necho deny\n`)
    chmodSync(gate, 0o755)
    const runtime = await b.open({
      config: {
        ...CONFIG,
        'tools.gates': [{ name: 'g', command: [gate], timeout_seconds: 60, tools: ['*'] }],
      },
    })
    await runtime.run([{ id: '1', name, args, meta: { cwd: 'prod' } }])
    const told = JSON.parse(readFileSync(seen, 'utf8')) as {
      cwd?: string
      summary: string
      arguments: JsonObject
    }
    expect(told.summary).toMatch(/\b[Ii]n prod\b/)
    expect(told.cwd ?? told.arguments['cwd']).toBe('prod')
  })
})
