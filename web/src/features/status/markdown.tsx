/** Markdown of the operator; loaded with the first text that is Markdown. HTML in it is shown as text, addresses that run are dropped. */
import ReactMarkdown, { type Components } from "react-markdown";

const components: Components = {
  a: ({ href, title, children }) => (
    <a href={href} title={title} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
};

export const Markdown = ({ text }: { text: string }) => <ReactMarkdown components={components}>{text}</ReactMarkdown>;
