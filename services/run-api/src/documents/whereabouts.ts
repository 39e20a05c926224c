/** Where what the documents describe is found: `{ streamUrl }`. */
export const WHEREABOUTS = Symbol('Whereabouts');
