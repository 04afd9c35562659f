import assert from 'node:assert/strict';
import test from 'node:test';
import QuickLRU from './index.js';

test('get and set', () => {
	const lru = new QuickLRU({maxSize: 100});
	lru.set('foo', 1).set('bar', 2);
	assert.equal(lru.get('foo'), 1);
	assert.equal(lru.get('bar'), 2);
	assert.equal(lru.size, 2);
});

test('an expired item is gone', t => {
	t.mock.timers.enable({apis: ['Date']});
	const lru = new QuickLRU({maxSize: 100, maxAge: 10});
	lru.set('foo', 1);
	t.mock.timers.tick(11);
	assert.equal(lru.get('foo'), undefined);
});
