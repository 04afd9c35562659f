import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startServer } from '../../../src/host/serve/start-server.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { openCommandBench } from '../run/command-bench.ts'

describe('the program of a server', () => {
  it('RULE 6: enters a control group that limits all of its processes together, where there are such groups', async () => {
    const scratch = makeScratch()
    const groups = scratch.at('groups')
    mkdirSync(groups)
    mkdirSync(scratch.at('place'))
    const bench = await openCommandBench()
    try {
      const server = startServer({
        argv: ['cat'],
        cwd: bench.root,
        env: { PATH: '/usr/bin:/bin' },
        confinement: bench.sandboxed,
        limits: { memoryBytes: 1e9, processes: 10 },
        cgroupHome: groups,
        place: scratch.at('place'),
        stderrPath: scratch.at('stderr'),
      })
      const echoed = new Promise<string>((done) => {
        server.onOutput((chunk) => done(new TextDecoder().decode(chunk)))
      })
      await server.write('hello\n')
      expect(await echoed).toBe('hello\n')
      const [name = ''] = readdirSync(groups)
      expect(name).toMatch(new RegExp(`^tongs-${process.pid}-server-[0-9a-f]{8}$`))
      expect(readFileSync(join(groups, name, 'memory.max'), 'utf8')).toBe('1000000000')
      expect(readFileSync(join(groups, name, 'pids.max'), 'utf8')).toBe('14')
      expect(readFileSync(join(groups, name, 'cgroup.procs'), 'utf8')).toBe('0\n')
      await server.close()
      // What only looks like a group is not emptied by the kernel; that it was ended shows in this file.
      expect(readFileSync(join(groups, name, 'cgroup.kill'), 'utf8')).toBe('1')
    } finally {
      await bench.close()
    }
  })
})
