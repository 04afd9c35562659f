import type { AssignedValues } from '../../core/text-requests.ts'

/** How the definitions of a language are found: kinds by the type of their node. */
export interface Grammar {
  readonly name: string
  /** Definitions that hold others. */
  readonly opens: Readonly<Record<string, string>>
  /** Definitions whose inside does not matter. */
  readonly ends: Readonly<Record<string, string>>
  /** Other nodes that are not looked into. */
  readonly passes: readonly string[]
  /** For a file in which nothing was found: it may be wrapped in a function, so look again in these for these. */
  readonly wrapped?: { readonly within: readonly string[]; readonly finds: readonly string[] }
  /** Values that make a definition of an assignment to a member of something, and kinds by their type. */
  readonly assigned?: { readonly values: AssignedValues; readonly kinds: Readonly<Record<string, string>> }
}

const SCRIPT_OPENS = {
  class_declaration: 'class',
  abstract_class_declaration: 'class',
  internal_module: 'namespace',
}

const SCRIPT_ENDS = {
  function_declaration: 'function',
  generator_function_declaration: 'function',
  method_definition: 'method',
  interface_declaration: 'interface',
  type_alias_declaration: 'type',
  enum_declaration: 'enum',
  variable_declarator: 'const',
  abstract_method_signature: 'method',
}

const SCRIPT_PASSES = ['arguments', 'arrow_function', 'function_expression', 'if_statement', 'for_statement']

/** Scripts for browsers are often one call of a function; its variables would be too many to list. */
const SCRIPT_WRAPPED = {
  within: ['arguments', 'function_expression'],
  finds: ['function_declaration', 'generator_function_declaration', 'method_definition'],
}

/** Before there were classes and modules, methods and exports were assigned. */
const SCRIPT_ASSIGNED = {
  values: {
    opens: ['class'],
    opensFor: { types: ['object'], names: /^(?:module\.)?exports$|\.prototype$/ },
    ends: ['function_expression', 'generator_function', 'arrow_function'],
  },
  kinds: {
    class: 'class',
    object: 'object',
    function_expression: 'function',
    generator_function: 'function',
    arrow_function: 'function',
  },
}

function script(name: string): Grammar {
  return {
    name,
    opens: SCRIPT_OPENS,
    ends: SCRIPT_ENDS,
    passes: SCRIPT_PASSES,
    wrapped: SCRIPT_WRAPPED,
    assigned: SCRIPT_ASSIGNED,
  }
}

const CPP: Grammar = {
  name: 'cpp',
  opens: { namespace_definition: 'namespace', class_specifier: 'class', struct_specifier: 'struct' },
  ends: { function_definition: 'function', enum_specifier: 'enum', type_definition: 'type' },
  passes: ['compound_statement', 'parameter_list'],
}

const GRAMMARS: Readonly<Record<string, Grammar>> = {
  javascript: script('javascript'),
  typescript: script('typescript'),
  tsx: script('tsx'),
  python: {
    name: 'python',
    opens: { class_definition: 'class' },
    ends: { function_definition: 'function' },
    passes: [],
  },
  go: {
    name: 'go',
    opens: {},
    ends: { function_declaration: 'function', method_declaration: 'method', type_spec: 'type' },
    passes: ['block'],
  },
  rust: {
    name: 'rust',
    opens: { impl_item: 'impl', trait_item: 'trait', mod_item: 'mod' },
    ends: {
      function_item: 'function',
      function_signature_item: 'function',
      struct_item: 'struct',
      enum_item: 'enum',
      type_item: 'type',
      const_item: 'const',
      static_item: 'static',
      macro_definition: 'macro',
    },
    passes: ['block'],
  },
  java: {
    name: 'java',
    opens: {
      class_declaration: 'class',
      interface_declaration: 'interface',
      enum_declaration: 'enum',
      record_declaration: 'record',
    },
    ends: { method_declaration: 'method', constructor_declaration: 'constructor' },
    passes: ['block'],
  },
  'c-sharp': {
    name: 'c-sharp',
    opens: {
      namespace_declaration: 'namespace',
      class_declaration: 'class',
      interface_declaration: 'interface',
      struct_declaration: 'struct',
      record_declaration: 'record',
    },
    ends: {
      method_declaration: 'method',
      constructor_declaration: 'constructor',
      property_declaration: 'property',
      enum_declaration: 'enum',
    },
    passes: ['block'],
  },
  ruby: {
    name: 'ruby',
    opens: { class: 'class', module: 'module' },
    ends: { method: 'method', singleton_method: 'method' },
    passes: ['do_block', 'block'],
  },
  php: {
    name: 'php',
    opens: {
      class_declaration: 'class',
      interface_declaration: 'interface',
      trait_declaration: 'trait',
      enum_declaration: 'enum',
    },
    ends: { function_definition: 'function', method_declaration: 'method' },
    passes: [],
  },
  bash: { name: 'bash', opens: {}, ends: { function_definition: 'function' }, passes: [] },
  cpp: CPP,
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'tsx',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  py: 'python',
  pyi: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
  cs: 'c-sharp',
  rb: 'ruby',
  php: 'php',
  sh: 'bash',
  bash: 'bash',
  c: 'cpp',
  h: 'cpp',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hpp: 'cpp',
  hh: 'cpp',
}

/** The grammar for a file; null if there is none. */
export function grammarOf(path: string): Grammar | null {
  const extension = extensionOf(path)
  const name = Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined
  return name === undefined ? null : (GRAMMARS[name] ?? null)
}

/** The part of a file name after its last dot, in small letters. */
export function extensionOf(path: string): string {
  return (/\.([^./]+)$/.exec(path)?.[1] ?? '').toLowerCase()
}
