import assert from 'node:assert/strict';
import test from 'node:test';
import Mustache from './mustache.js';

const cases = {
  'a name': ['Hello {{name}}!', {name: 'you'}, 'Hello you!'],
  'a dotted name': ['{{a.b.c}}', {a: {b: {c: 1}}}, '1'],
  'escaping': ['{{a}} {{{a}}} {{&a}}', {a: '<b> & "c"'}, '&lt;b&gt; &amp; &quot;c&quot; <b> & "c" <b> & "c"'],
  'a list': ['{{#list}}({{.}}){{/list}}', {list: [1, 2, 3]}, '(1)(2)(3)'],
  'an empty list': ['[{{#list}}x{{/list}}{{^list}}none{{/list}}]', {list: []}, '[none]'],
  'zero is a value': ['{{a}}', {a: 0}, '0'],
  'a function of the parent': ['{{#inner}}{{shout}}{{/inner}}', {shout() { return this.a.toUpperCase(); }, inner: {a: 'x'}}, 'X'],
  'a standalone section leaves no blank line': ['a\n{{#on}}\nb\n{{/on}}\nc\n', {on: true}, 'a\nb\nc\n'],
  'other tags': ['{{=<% %>=}}<% a %>{{a}}', {a: 1}, '1{{a}}'],
  'a comment': ['a{{! not this }}b', {}, 'ab'],
};

for (const [name, [template, view, expected]] of Object.entries(cases)) {
  test(name, () => assert.equal(Mustache.render(template, view), expected));
}

test('a partial keeps its indentation', () => {
  assert.equal(Mustache.render('  {{>p}}\n', {a: 1}, {p: 'x{{a}}\ny\n'}), '  x1\n  y\n');
});

test('an open section is an error', () => {
  assert.throws(() => Mustache.render('{{#a}}x', {}), /Unclosed section "a"/);
});
