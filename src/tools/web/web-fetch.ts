import { settingsOf } from '../../config/keys.ts'
import { failure } from '../../core/error.ts'
import { EVERY_HIDDEN, isSpelling } from '../../core/text/display/hidden.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { byteLength, elideMiddle } from '../../core/text/truncate.ts'
import type { PowersOf } from '../../core/tool.ts'
import { readWebAddress } from '../../core/web/web-address.ts'
import type { WebAddress } from '../../core/web/web-address.ts'
import type { WebAnswer } from '../../core/web/web.ts'
import { array, boolean, integer, object, optional, string } from '../../schema/schema.ts'
import type { Infer } from '../../schema/schema.ts'
import { defineTool } from '../define/define-tool.ts'
import { renderFetched } from '../rendering/fetched-text.ts'
import { decodeBody, mediaTypeOf } from './decode-body.ts'
import type { DecodedBody } from './decode-body.ts'
import { breakLongLines, firstPage } from './fit-page.ts'
import { FRAME_BYTES, frameContent } from './frame-content.ts'

const input = object(
  {
    url: string('http or https', { minLength: 1 }),
    raw: optional(boolean('The source of a page instead of its text')),
  },
  'What to fetch',
)

const output = object(
  {
    url: string('Where it came from, after redirects within the origin'),
    status: optional(integer('The status of the answer')),
    type: optional(string('The media type that the server named')),
    bytes: optional(integer('How much was received, decompressed')),
    ip: optional(string('The IP address that was connected to')),
    content: optional(string('Its text, in a frame that says that it came from outside')),
    lines: optional(
      object(
        { shown: integer('How many lines the content has'), total: integer('How many there are') },
        'Which part of the text the content is, if not all of it',
      ),
    ),
    stored: optional(string('Where read_file finds all of it')),
    redirect: optional(string('Where it leads to, if that is another origin')),
    notes: optional(array(string('One note'), 'What else there is to know')),
    dry_run: optional(boolean('Whether nothing was fetched')),
  },
  'What was fetched',
)

type Args = Infer<typeof input>
type Result = Infer<typeof output>
type Powers = PowersOf['external']

/** Together with the words around them they fit into a summary, which would otherwise lose its middle. */
const MOST_ORIGIN_CHARS = 90
const MOST_PATH_CHARS = 64

/** Fetches from the web, as text where it is text. */
export const webFetch = defineTool({
  name: 'web_fetch',
  version: '1.0.0',
  description: 'Fetch a page (as text with links) or file from the web; the user is asked per site',
  effect: 'external',
  limits: { timeout: 'default' },
  capabilities: ['network.connect'],
  input,
  output,
  slips: {
    names: { uri: 'url', href: 'url', link: 'url', address: 'url' },
    tool: ['fetch', 'fetch_url', 'webfetch', 'WebFetch', 'read_url', 'open_url', 'browse', 'curl'],
  },
  rare: ['raw'],
  // Fetching again is how one sees whether a page has changed.
  repeatable: true,
  risk: 'Medium',
  check: ({ url }) => {
    const read = readWebAddress(url)
    return read.ok ? null : `url cannot be fetched: ${read.why}`
  },
  webAddress: ({ url }) => addressOf(url),
  // It names no paths, so it works the same in every folder.
  rebase: (args) => args,
  summary: ({ url }) => `Fetch ${describeAddress(addressOf(url))}`,
  present: { text: renderFetched, mayTruncate: false },
  satisfies: ({ status = 0 }) => status >= 200 && status < 300,
  async run(args, powers): Promise<Result> {
    const address = addressOf(args.url)
    if (address === null) throw failure('bad_args', 'url cannot be fetched.')
    if (powers.isDryRun) return { url: address.href, dry_run: true }
    const settings = settingsOf(powers.settings)
    const answer = await powers.web.fetch({
      address,
      maxBytes: settings['tools.web_fetch.max_bytes'],
      maxRedirects: settings['tools.web_fetch.max_redirects'],
      signal: powers.signal,
    })
    return answer.is === 'elsewhere' ? describeRedirect(answer) : showAnswer(answer, args, powers)
  },
})

type Answered = Extract<WebAnswer, { is: 'answered' }>

function addressOf(url: string): WebAddress | null {
  const read = readWebAddress(url)
  return read.ok ? read.address : null
}

/** Whatever is long, the end of the host stays in sight: it decides whose server it is. */
function describeAddress(address: WebAddress | null): string {
  if (address === null) return 'nothing'
  const { origin, path } = address
  const shown = origin.length > MOST_ORIGIN_CHARS ? `…${origin.slice(-MOST_ORIGIN_CHARS)}` : origin
  if (path.length <= MOST_PATH_CHARS) return `${shown}${path}`
  return `${shown}${elideMiddle(path, MOST_PATH_CHARS)} (path of ${path.length} characters)`
}

function describeRedirect({
  address,
  ip,
  status,
  to,
  fault,
}: Extract<WebAnswer, { is: 'elsewhere' }>): Result {
  const redirect = sanitise(to, { oneLine: true })
  const notes =
    fault === null
      ? [
          'It leads to another origin, so nothing was read there; call web_fetch with that URL if it is wanted.',
        ]
      : [`It leads to an address that is not fetched: ${fault}.`]
  return { url: address.href, status, ip, redirect, notes }
}

async function showAnswer(answer: Answered, args: Args, powers: Powers): Promise<Result> {
  const { address, status, ip, type: header, body, isCut } = answer
  const type = mediaTypeOf(header)
  const facts = { url: address.href, status, ...(type === '' ? {} : { type }), bytes: body.length, ip }
  const notes = isCut ? [cutNote(body.length)] : []
  if (body.length === 0) return { ...facts, ...notesOf(notes) }
  const decoded = decodeBody(body, header, isCut)
  if (decoded.is === 'other') {
    const stored = isCut ? null : powers.web.store(body)
    return { ...facts, ...(stored === null ? {} : { stored }), ...notesOf([...notes, 'It is not text.']) }
  }
  const read = await readText(decoded, args.raw === true, address, powers)
  const { text, isBroken } = breakLongLines(read.text)
  const all = [...notes, ...read.notes, ...(isBroken ? ['Long lines are broken.'] : [])]
  return fitResult({ ...facts, ...notesOf(all) }, text, powers)
}

function cutNote(bytes: number): string {
  return `Only the first ${bytes} bytes were read; tools.web_fetch.max_bytes sets how many.`
}

function notesOf(notes: readonly string[]): Pick<Result, 'notes'> {
  return notes.length === 0 ? {} : { notes: [...notes] }
}

async function readText(
  decoded: Exclude<DecodedBody, { is: 'other' }>,
  isRaw: boolean,
  address: WebAddress,
  { web, signal }: Powers,
): Promise<{ readonly text: string; readonly notes: readonly string[] }> {
  if (decoded.is === 'json') return { text: sanitise(spreadJson(decoded.text)), notes: [] }
  if (decoded.is === 'text' || isRaw) return { text: sanitise(decoded.text), notes: [] }
  const { title, text, needsScript } = await web.readPage(decoded.text, address, signal)
  const heading = title === null || title === '' || text.startsWith(`# ${title}`) ? '' : `${title}\n\n`
  return {
    text: dropHidden(`${heading}${text}`.replaceAll('\u00a0', ' ')),
    notes: needsScript ? ['The page has little text without its scripts, which are not run.'] : [],
  }
}

/** JSON on a single long line cannot be paged through. */
function spreadJson(text: string): string {
  if (text.includes('\n') || text.length < 2000) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 1)
  } catch {
    return text
  }
}

/** Readers do not see such characters, and in pages most of them are only hints for line breaks. */
function dropHidden(text: string): string {
  return text.replaceAll(EVERY_HIDDEN, (sign, at: number) => (isSpelling(text, at) ? sign : ''))
}

/** The first page of a text; the rest is stored, so that it can be paged through without asking the server again. */
function fitResult(facts: Result, text: string, { web, settings, maxOutputBytes }: Powers): Result {
  const most = Math.min(settingsOf(settings)['tools.web_fetch.page_bytes'], maxOutputBytes) - FRAME_BYTES
  const whole: Result = { ...facts, content: frameContent(text) }
  if (byteLength(text) <= most && byteLength(JSON.stringify(whole)) <= maxOutputBytes) return whole
  const stored = web.store(text)
  for (let room = most; ; room = Math.floor(room * 0.7)) {
    const page = firstPage(text, Math.max(room, 0))
    const result: Result = {
      ...facts,
      content: frameContent(page.text),
      lines: { shown: page.shown, total: page.total },
      ...(stored === null ? {} : { stored }),
    }
    if (page.shown === 0 || byteLength(JSON.stringify(result)) <= maxOutputBytes) return result
  }
}
