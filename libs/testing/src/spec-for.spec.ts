import { describe, expect, it } from '@jest/globals';
import { runDecider } from '@millrace/run-domain';
import { cancelRun, pauseRun } from './builders/commands.js';
import { runCancelRequested, runPaused, runQueued, runRequested } from './builders/facts.js';
import { aFinishedRun } from './builders/histories.js';
import { specFor } from './spec-for.js';

const given = specFor(runDecider);

describe('specFor', () => {
  it('passes when the decision is what was expected', () => {
    given(runRequested(), runQueued()).when(cancelRun()).then(runCancelRequested());
    given(...aFinishedRun())
      .when(cancelRun())
      .thenNothing();
    given().when(cancelRun()).thenRefused('RUN_NOT_FOUND');
  });

  it('fails on another fact, on one too many, and on the right one with other content', () => {
    const canceled = given(runRequested()).when(cancelRun());
    expect(() => canceled.then(runPaused())).toThrow();
    expect(() => canceled.then(runCancelRequested(), runCancelRequested())).toThrow();
    expect(() => canceled.then(runCancelRequested({ requestedBy: 'bob' }))).toThrow();
  });

  it('fails when something happened that was to be nothing', () => {
    expect(() => given(runRequested()).when(cancelRun()).thenNothing()).toThrow();
  });

  it('fails when a refusal was expected and did not come, or came with another code', () => {
    expect(() => given(runRequested()).when(cancelRun()).thenRefused('RUN_NOT_FOUND')).toThrow(/not refused/);
    expect(() => given(runRequested()).when(pauseRun()).thenRefused('RUN_NOT_FOUND')).toThrow();
  });

  it('fails when facts were expected and the command is refused', () => {
    expect(() => given().when(cancelRun()).thenNothing()).toThrow(/No such run/);
    expect(() => given().when(cancelRun()).then(runCancelRequested())).toThrow(/No such run/);
  });

  it('does not take a defect for a refusal', () => {
    const broken = () => {
      throw new TypeError('defect');
    };
    const when = specFor({ ...runDecider, decide: broken })().when(cancelRun());
    expect(() => when.thenRefused('RUN_NOT_FOUND')).toThrow(TypeError);
  });
});
