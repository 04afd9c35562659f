import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TOP } from '../../scripts/run-tool.ts'
import { createRuntime } from '../../src/runtime/create-runtime.ts'
import type { Runtime } from '../../src/runtime/create-runtime.ts'
import { outputOf } from '../bench-folder.ts'

let stateDir: string
let runtime: Runtime

beforeAll(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'tongs-own-tests-'))
  runtime = await createRuntime({
    root: TOP,
    stateDir,
    durability: 'memory',
    approve: (requests) => requests.map(() => 'once' as const),
  })
})

afterAll(async () => {
  await runtime.close()
  rmSync(stateDir, { recursive: true })
})

it('this project’s own tests run in the sandbox with vitest', async () => {
  const [result] = await runtime.run([
    { id: '1', name: 'run_tests', args: { selector: 'test/tools/reading/bytes.test.ts' } },
  ])
  const { total, passed, runner } = outputOf(result) as { total: number; passed: number; runner: string }
  expect(runner).toBe('vitest')
  expect(total).toBeGreaterThan(0)
  expect(passed).toBe(total)
})
