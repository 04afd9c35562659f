const OWN_PROMPTS =
  'Prompts are the commands of the user, with one argument for their words and text alone; the scenario gets those of the reference fixture.'
const OWN_RESOURCES =
  'The scenario reads resources of the reference fixture; ours are the three that are documented.'
const TEXT_ONLY =
  'Our results are text and structured content; no tool of ours makes pictures, sound or resources.'
const OWN_QUESTIONS =
  'Tongs asks about its own approvals only, and takes none but the answers that it offered.'
const NO_SAMPLING = 'Tongs never asks the client for samples, roots or anything but an approval.'

/** Why our server does not do what a scenario of the conformance suite wants. */
export const SERVER_DIFFERENCES: Readonly<Record<string, string>> = {
  'completion-complete':
    'There is nothing to complete: the argument of a prompt is free text, and there are no templates of resources.',
  'logging-set-level': 'Nothing is logged to the client.',
  'tools-call-with-logging': 'Nothing is logged to the client.',
  'tools-call-image': TEXT_ONLY,
  'tools-call-audio': TEXT_ONLY,
  'tools-call-embedded-resource': TEXT_ONLY,
  'tools-call-mixed-content': TEXT_ONLY,
  'tools-call-with-progress':
    'Progress is the output of commands, and a fixture tool without a command has none.',
  'tools-call-sampling': NO_SAMPLING,
  'tools-call-elicitation': OWN_QUESTIONS,
  'elicitation-sep1034-defaults': OWN_QUESTIONS,
  'elicitation-sep1330-enums': OWN_QUESTIONS,
  'resources-read-text': OWN_RESOURCES,
  'resources-read-binary': OWN_RESOURCES,
  'resources-templates-read': OWN_RESOURCES,
  'resources-subscribe': 'Resources cannot be subscribed to, and are not said to be.',
  'resources-unsubscribe': 'Resources cannot be subscribed to, and are not said to be.',
  'prompts-get-simple': OWN_PROMPTS,
  'prompts-get-with-args': OWN_PROMPTS,
  'prompts-get-embedded-resource': OWN_PROMPTS,
  'prompts-get-with-image': OWN_PROMPTS,
  'server-sse-polling': 'Streams are not resumed: a client that goes cancels its call.',
  'dns-rebinding-protection':
    'Foreign hosts are refused as wanted; but so is every page in a browser, also one of this machine.',
  'server-stateless': 'All but two checks: those need a tool that wants samples.',
  'input-required-result-basic-elicitation': OWN_QUESTIONS,
  'input-required-result-basic-sampling': NO_SAMPLING,
  'input-required-result-basic-list-roots': NO_SAMPLING,
  'input-required-result-request-state': OWN_QUESTIONS,
  'input-required-result-multiple-input-requests': NO_SAMPLING,
  'input-required-result-multi-round': OWN_QUESTIONS,
  'input-required-result-non-tool-request': OWN_PROMPTS,
  'input-required-result-capability-check': NO_SAMPLING,
}
