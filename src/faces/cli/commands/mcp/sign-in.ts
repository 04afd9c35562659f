import { openPage } from '../../../../host/system/open-page.ts'
import type { SignInPage } from '../../../../servers/sign-in/sign-in.ts'
import type { ParsedLine } from '../../arguments.ts'
import { openRuntime } from '../../open.ts'
import { hasTerminal } from '../../prompts/prompt-terminal.ts'
import { endOnSignals } from '../../signals.ts'
import { safe } from '../../terminal.ts'
import type { Terminal } from '../../terminal.ts'

/** Long enough to find a password. */
const PATIENCE_MS = 10 * 60_000
const NEEDS_PERSON = 4

/** `tongs mcp login NAME`: signs the user in at the address of a server, in a browser. */
export async function login(name: string, line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  const stop = new AbortController()
  const release = endOnSignals(stop)
  const show = ({ address, issuer, server }: SignInPage): void => {
    const who = `You sign in at ${issuer} for the server at ${server}, which gets the token.`
    terminal.warn(`${who}\nOpen this page in your browser:\n${address.href}`)
    openPage(address.href, process.env, [runtime.root])
  }
  try {
    runtime.servers.signInAddress(name)
    if (line.has('--no-input') || !hasTerminal()) {
      terminal.warn(`tongs: signing in needs a person; run this in a terminal: tongs mcp login ${name}`)
      return NEEDS_PERSON
    }
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(PATIENCE_MS)])
    await runtime.servers.signIn(name, { show, signal })
    if (line.has('--json')) terminal.json({ signed_in: name })
    else terminal.print(safe(`Signed in. Read what it offers with: tongs mcp trust ${name}`))
    return 0
  } finally {
    release()
    await runtime.close()
  }
}

/** `tongs mcp logout NAME`: forgets the tokens for the address of a server. */
export async function logout(name: string, line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  try {
    const wasSignedIn = await runtime.servers.signOut(name)
    if (line.has('--json')) terminal.json({ signed_out: name, was_signed_in: wasSignedIn })
    else terminal.print(safe(wasSignedIn ? `Signed out of ${name}.` : `You were not signed in to ${name}.`))
    return 0
  } finally {
    await runtime.close()
  }
}
