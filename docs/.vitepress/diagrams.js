/** Makes a component of each Mermaid block. Without scripts, readers see its text. */
export function asDiagrams(markdown) {
  const fence = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const { info, content } = tokens[index];
    if (info.trim() !== 'mermaid') return fence(tokens, index, options, env, self);
    return `<Diagram source="${markdown.utils.escapeHtml(content)}" />\n`;
  };
}
