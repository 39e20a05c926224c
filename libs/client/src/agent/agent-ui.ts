import { newKey } from '../routes/request.js';
import type { AgentEventConsumer, Asking } from './agent-event-consumer.js';
import type { AgentEventSink } from './agent-event-sink.js';
import type { AgentEventOf, AnswerTo } from './agent-events.js';

export type Choices = AgentEventOf<'waitForChoice'>['choices'];

/** How a loop speaks with a person: it asks, and waits. */
export class AgentUi {
  constructor(private readonly sink: AgentEventSink) {}

  chat(prompt: string): Promise<AnswerTo<'waitForInput'>> {
    return this.sink.suspend({ type: 'waitForInput', requestId: newKey(), prompt });
  }

  presentChoices(prompt: string, choices: Choices): Promise<AnswerTo<'waitForChoice'>> {
    return this.sink.suspend({ type: 'waitForChoice', requestId: newKey(), prompt, choices });
  }
}

/** How a page asks a person. */
export interface PersonAtHand {
  requestInput(prompt: string | undefined, asking: Asking): Promise<AnswerTo<'waitForInput'>>;
  readonly choicePresenter: {
    presentChoices(prompt: string | undefined, choices: Choices, asking: Asking): Promise<AnswerTo<'waitForChoice'>>;
  };
}

/** Both kinds of questions to a person are answered by the page. */
export function answerByPerson(consumer: AgentEventConsumer, person: PersonAtHand): () => void {
  const offs = [
    consumer.on('waitForInput', ({ prompt }, asking) => person.requestInput(prompt, asking)),
    consumer.on('waitForChoice', ({ prompt, choices }, asking) =>
      person.choicePresenter.presentChoices(prompt, choices, asking),
    ),
  ];
  return () => offs.forEach((off) => off());
}
