import { z } from 'zod';

/** A file beside a text, by value (base64) or by the handle of where it is stored. */
export const AttachedFile = z.looseObject({
  name: z.string().optional(),
  mediaType: z.string().optional(),
  inlineData: z.looseObject({ data: z.base64(), mimeType: z.string().optional() }).optional(),
  storedData: z.looseObject({ handle: z.string().min(1), mimeType: z.string().optional() }).optional(),
});
export type AttachedFile = z.infer<typeof AttachedFile>;

/** What people say to an agent, first and in their answers. */
export const Said = z.looseObject({ text: z.string(), files: z.array(AttachedFile).optional() });
export type Said = z.infer<typeof Said>;

/** Enough to answer a question about a note; what is longer belongs into a store, with a tool that reads it. */
const LONGEST_EXCERPT = 4_000;

/** The file in words, for a model that takes text: what it is, and what stands in it when it is text. */
export const describeFile = (file: AttachedFile): string => {
  const { name = 'a file without a name', inlineData, storedData } = file;
  const mediaType = file.mediaType ?? inlineData?.mimeType ?? storedData?.mimeType ?? 'of unknown type';
  if (storedData) return `${name} (${mediaType}, stored as ${storedData.handle})`;
  if (!inlineData) return `${name} (${mediaType}, without content)`;
  const bytes = Buffer.from(inlineData.data, 'base64');
  const head = `${name} (${mediaType}, ${bytes.length} bytes)`;
  return mediaType.startsWith('text/') ? `${head}:\n${excerptOf(bytes.toString('utf8'))}` : head;
};

const excerptOf = (text: string): string =>
  text.length <= LONGEST_EXCERPT ? text : `${text.slice(0, LONGEST_EXCERPT)}…`;
