import { BaseMessage, coerceMessageLikeToMessage, type BaseMessageLike } from '@langchain/core/messages';
import {
  type BaseChannel,
  BinaryOperatorAggregate,
  type DeltaChannel,
  messagesDeltaReducer,
  messagesStateReducer,
} from '@langchain/langgraph';
import { LastValue } from '@langchain/langgraph/channels';
import { digest } from './digest.js';

/** The channel with nothing random in it, and with nothing a checkpoint would leave out. */
export const deterministicChannel = (channel: BaseChannel): BaseChannel => {
  switch (channel.lc_graph_name) {
    case 'UntrackedValue':
      return new LastValue((channel as unknown as WithInitialValue).initialValueFactory);
    case 'DeltaChannel': {
      // It orders what parallel nodes write by the random ids of their tasks.
      const { reducer, initialValueFactory } = channel as DeltaChannel<unknown, unknown>;
      const areMessages = isMessagesReducer(reducer);
      return new BinaryOperatorAggregate(
        (left: unknown, right: unknown) => reducer(left, [withIds(left, right, areMessages)]),
        initialValueFactory,
      );
    }
    case 'BinaryOperatorAggregate': {
      const { operator, initialValueFactory } = channel as BinaryOperatorAggregate<unknown, unknown>;
      const areMessages = isMessagesReducer(operator);
      return new BinaryOperatorAggregate(
        (left: unknown, right: unknown) =>
          operator(
            areMessages ? withIds([], left, true) : left,
            right == null ? right : withIds(left, right, areMessages),
          ),
        initialValueFactory,
      );
    }
    default:
      return channel;
  }
};

/** Reducers of messages give one without an id a random one: give it one that follows from its place before that. */
const withIds = (left: unknown, right: unknown, areMessages: boolean): unknown => {
  const place = Array.isArray(left) ? [left.length, idOf(left.at(-1))] : [];
  const identify = (value: unknown, index: number): unknown => {
    const message = areMessages && !BaseMessage.isInstance(value) ? asMessage(value) : value;
    if (BaseMessage.isInstance(message) && message.id == null) {
      const id = `m-${digest(JSON.stringify([...place, index, message.type, message.content]))}`;
      message.id = id;
      message.lc_kwargs['id'] = id;
    }
    return message;
  };
  return Array.isArray(right) ? right.map(identify) : identify(right, 0);
};

interface WithInitialValue {
  readonly initialValueFactory?: () => unknown;
}

const isMessagesReducer = (reducer: unknown): boolean =>
  reducer === messagesStateReducer || reducer === messagesDeltaReducer;

const asMessage = (value: unknown): BaseMessage => coerceMessageLikeToMessage(value as BaseMessageLike);

const idOf = (value: unknown): string | undefined => (BaseMessage.isInstance(value) ? value.id : undefined);
