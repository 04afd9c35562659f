import { fstatSync, writeSync } from 'node:fs'

const STDOUT = 1

/** Where answers go. */
export interface Output {
  readonly isTerminal: boolean
  readonly columns: number | undefined
  readonly write: (text: string) => void
}

/**
 * Stdout. A pipe or a file is written to directly: waking up the stream machinery takes longer than many a command. It
 * is asked all the same where it is awake already, where a pipe is full, and where somebody has to hear of an error.
 */
export function openOutput(): Output {
  if (fstatSync(STDOUT).isCharacterDevice()) {
    const { isTTY, columns } = process.stdout
    return { isTerminal: isTTY === true, columns, write: writeToStream }
  }
  let isStreaming = false
  let isLost = false
  return {
    isTerminal: false,
    columns: undefined,
    write(text) {
      if (isLost) return
      if (isStreaming) return writeToStream(text)
      const bytes = Buffer.from(text)
      let written = 0
      try {
        while (written < bytes.length) written += writeSync(STDOUT, bytes, written)
      } catch (thrown) {
        const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null
        if (code === 'EAGAIN') {
          isStreaming = true
          writeToStream(bytes.subarray(written))
          return
        }
        isLost = true
        if (code !== 'EPIPE') process.stdout.emit('error', thrown)
      }
    },
  }
}

function writeToStream(text: string | Uint8Array): void {
  process.stdout.write(text)
}
