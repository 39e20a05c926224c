/** Whether a subject is one of those a pattern stands for: `*` is one token, `>` the rest. */
export const matches = (pattern: string, subject: string): boolean => {
  const wanted = pattern.split('.');
  const given = subject.split('.');
  return (
    wanted.every((token, at) => (token === '>' ? given.length > at : at < given.length && fits(token, given[at]!))) &&
    (wanted.at(-1) === '>' || wanted.length === given.length)
  );
};

const fits = (wanted: string, given: string): boolean => wanted === '*' || wanted === given;
