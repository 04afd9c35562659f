import { existsSync } from 'node:fs'
import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import type { RunRequest } from './run-request.ts'

/** Says why the system would not start a process at all. */
export function explainUnstarted(code: string, message: string, request: RunRequest): ToolFailure {
  const { cwd } = request
  if (code === 'E2BIG')
    return failure('bad_args', 'The command and its variables are longer than the system takes.', { code }, [
      'Write the long part to a file and name that file instead.',
    ])
  if ((code === 'ENOENT' || code === 'ENOTDIR') && !existsSync(cwd))
    return failure('execution_failed', `The folder ${cwd} is not there.`, { code, cwd }, [
      'Name a folder that is there.',
    ])
  if (code === 'EAGAIN' || code === 'ENOMEM' || code === 'EMFILE')
    return failure('resource_exhausted', `The system cannot start another process: ${message}.`, { code }, [
      'Try again once fewer programs run.',
    ])
  return failure('execution_failed', `The command could not be started: ${message}.`, { code }, [
    'See tongs doctor for what confines commands here.',
  ])
}
