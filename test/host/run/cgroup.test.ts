import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findCgroupHome, makeCgroup, planCgroup } from '../../../src/host/run/cgroup.ts'
import { createRunner } from '../../../src/host/run/runner.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { openCommandBench } from './command-bench.ts'

describe('control groups', () => {
  it('are used where one above or at our own hands on memory and processes', () => {
    const scratch = makeScratch()
    const own = scratch.file('own', '12:pids:/old\n0::/user/session\n')
    expect(findCgroupHome(scratch.path, own)).toBeNull()
    scratch.file('user/cgroup.subtree_control', 'cpu memory\n')
    scratch.file('user/cgroup.procs', '')
    expect(findCgroupHome(scratch.path, own)).toBeNull()
    scratch.file('user/cgroup.subtree_control', 'cpu memory pids\n')
    expect(findCgroupHome(scratch.path, own)).toBe(scratch.at('user'))
    expect(findCgroupHome(scratch.path, scratch.at('missing'))).toBeNull()
  })

  it('are planned only for what they can limit', () => {
    expect(planCgroup('/c', 'x', { cpuSeconds: 1, fileBytes: 1 })).toBeNull()
    expect(planCgroup('/c', 'x', { memoryBytes: 1000, processes: 10 })).toEqual({
      folder: '/c/tongs-x',
      settings: [
        ['memory.max', '1000'],
        ['memory.swap.max', '0'],
        ['memory.oom.group', '1'],
        ['pids.max', '14'],
      ],
    })
  })

  it('that cannot be made are not claimed', () => {
    const scratch = makeScratch()
    expect(makeCgroup({ folder: scratch.at('no/such/folder'), settings: [] })).toBe(false)
  })

  it('RULE 6: a command enters its group before it starts, and the result says that the group holds it', async () => {
    const scratch = makeScratch()
    mkdirSync(scratch.at('groups'))
    const bench = await openCommandBench()
    const runner = createRunner({ cgroupHome: scratch.at('groups') })
    try {
      const end = await runner.run({
        argv: ['true'],
        cwd: bench.root,
        env: { PATH: '/usr/bin:/bin' },
        stdin: null,
        timeoutMs: PATIENCE_MS,
        keepBytes: 1000,
        confinement: bench.sandboxed,
        limits: { memoryBytes: 1e9 },
        graceMs: 400,
        spill: null,
      })
      expect(end).toMatchObject({ exitCode: 0, limitsHeld: { memoryBytes: 'cgroup' } })
      const group = join(scratch.at('groups'), `tongs-${process.pid}-1`)
      // A folder that only looks like a group is not emptied by the kernel, and so is still there to be looked at.
      expect(existsSync(group)).toBe(true)
      expect(readFileSync(join(group, 'memory.max'), 'utf8')).toBe('1000000000')
      expect(readFileSync(join(group, 'cgroup.procs'), 'utf8')).toBe('0\n')
    } finally {
      await runner.close()
      await bench.close()
    }
  })
})
