/**
 * Takes the place of `@jest/globals`, because each test file has globals of its own, while a helper
 * that uses them is loaded once.
 */
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

const current = (name) =>
  new Proxy(() => undefined, {
    apply: (_, self, given) => globalThis[name].apply(self, given),
    get: (_, property) => globalThis[name][property],
  });

export const test = current('test');
export const describe = current('describe');
export const expect = current('expect');
export const beforeAll = current('beforeAll');
export const beforeEach = current('beforeEach');
export const afterEach = current('afterEach');
export const afterAll = current('afterAll');

const mocks = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ global: globalThis, config: { fakeTimers: {} } });

export const jest = {
  spyOn: mocks.spyOn.bind(mocks),
  restoreAllMocks: () => mocks.restoreAllMocks(),
  useFakeTimers: (how) => timers.useFakeTimers(how),
  advanceTimersByTime: (milliseconds) => timers.advanceTimersByTime(milliseconds),
  useRealTimers: () => timers.useRealTimers(),
};
