import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ToolFailure } from '../../src/core/error.ts'
import type { ToolError } from '../../src/core/error.ts'

/** Where making and renaming files costs least. */
export const FASTEST = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** A temporary folder that goes when the test ends. */
export interface Scratch {
  readonly path: string
  readonly at: (...parts: readonly string[]) => string
  readonly file: (rel: string, content?: string) => string
  readonly folder: (rel: string) => string
  readonly link: (rel: string, target: string) => string
}

/** Makes one; its path has no links. */
export function makeScratch(parent = tmpdir()): Scratch {
  const path = mkdtempSync(join(realpathSync(parent), 'tongs-test-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  const at = (...parts: readonly string[]): string => join(path, ...parts)
  const folder = (rel: string): string => {
    mkdirSync(at(rel), { recursive: true })
    return at(rel)
  }
  return {
    path,
    at,
    folder,
    file: (rel, content = rel) => {
      folder(dirname(rel))
      writeFileSync(at(rel), content)
      return at(rel)
    },
    link: (rel, target) => {
      folder(dirname(rel))
      symlinkSync(target, at(rel))
      return at(rel)
    },
  }
}

/** The error that `run` fails with; anything but a ToolFailure, and success, are bugs. */
export function failureOf(run: () => unknown): ToolError {
  try {
    run()
  } catch (error) {
    if (error instanceof ToolFailure) return error.error
    throw error
  }
  throw new Error('it was expected to fail')
}

/** The code that `run` fails with. */
export function codeOf(run: () => unknown): string {
  return failureOf(run).code
}
