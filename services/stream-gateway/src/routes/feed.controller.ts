import { FeedQuery } from '@millrace/contracts';
import { Open } from '@millrace/nest-kit/http';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { FeedStreams } from '../feed/feed-streams.js';
import type { StreamReply, StreamRequest } from './stream-request.js';

/** Open, because it asks for the token itself: like the streams of runs, whose tickets the guard does not know. */
@Open()
@Controller()
export class FeedController {
  constructor(private readonly feeds: FeedStreams) {}

  @Get('agents/events')
  feed(
    @Query({ schema: FeedQuery }) query: FeedQuery,
    @Req() request: StreamRequest,
    @Res() reply: StreamReply,
  ): Promise<void> {
    return this.feeds.open({ query, request, reply });
  }
}
