import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TOP } from '../../../scripts/run-tool.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import { NOBODY, ordinaryProgram } from '../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { outputOf } from './machine.ts'

const TEAM = 1777

/** Runs a command of an ordinary user who is in the group of a team, with consent. */
function run(top: string, line: string): ToolResult {
  const [node, program] = ordinaryProgram(join(TOP, 'bin/tongs.cjs'))
  const args = JSON.stringify({ cmd: ['sh', '-c', line] })
  const words = ['call', 'run_shell', args, '--yes', '--no-input', '--json', '--root', join(top, 'root')]
  const user = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, `--groups=${TEAM}`]
  const env = { PATH: '/usr/bin:/bin', HOME: top, TONGS_STATE_DIR: join(top, 'state') }
  const options = { cwd: join(top, 'root'), env, encoding: 'utf8', timeout: PATIENCE_MS } as const
  return JSON.parse(execFileSync('setpriv', [...user, node, program, ...words], options)) as ToolResult
}

function makeTeam(rootGroup: number) {
  const scratch = makeScratch()
  for (const folder of ['root', 'state']) fs.chownSync(scratch.folder(folder), NOBODY, NOBODY)
  fs.chownSync(scratch.file('root/theirs', 'old\n'), NOBODY, TEAM)
  fs.chmodSync(scratch.at('root/theirs'), 0o664)
  fs.chownSync(scratch.at('root'), NOBODY, rootGroup)
  fs.chmodSync(scratch.path, 0o755)
  return scratch
}

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'files of a group that an ordinary user is only a member of',
  () => {
    it('are changed by commands on a copy if the root itself is of that group', () => {
      const scratch = makeTeam(TEAM)
      fs.chmodSync(scratch.at('root'), 0o2775)
      const ran = outputOf(run(scratch.path, 'echo new >>theirs; mkdir in; echo x >in/made'))
      expect(ran).toMatchObject({ layer: 'copy', stderr: '' })
      expect(fs.readFileSync(scratch.at('root/theirs'), 'utf8')).toBe('old\nnew\n')
      const gids = ['theirs', 'in', 'in/made'].map((name) => fs.statSync(scratch.at(`root/${name}`)).gid)
      expect(gids).toEqual([TEAM, TEAM, TEAM])
    })

    it('are named with the reason and what helps if an overlay does not let them be changed', () => {
      const scratch = makeTeam(NOBODY)
      const result = run(scratch.path, 'echo new >>theirs')
      expect(outputOf(result)).toMatchObject({ layer: 'overlay' })
      expect(result.content).toMatch(/theirs is of the group 1777, .*chgrp.*tools\.shell\.layer = "off"/)
      expect(fs.readFileSync(scratch.at('root/theirs'), 'utf8')).toBe('old\n')
    })
  },
)
