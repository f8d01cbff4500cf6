'use strict';

// lesson shows a lesson of package lessons in a section of the page: its text, a question that the engine answers
// with the settings of the lesson, wherever the sliders are, and a thing to break. beside has the lesson's own chart
// and sliders. ask calls the engine.
function lesson(section, about, beside, ask) {
  // make creates an element. Texts become its children, with code and bold as Markdown writes them.
  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children.flatMap(child => typeof child === 'string' ? marked(child) : child));
    return element;
  }

  function marked(text) {
    return text.split(/(`[^`]*`|\*\*[^*]*\*\*)/).filter(Boolean).map(part => {
      const name = part[0] === '`' ? 'code' : part.startsWith('**') ? 'strong' : '';
      if (!name) return part;
      const element = document.createElement(name);
      element.textContent = part.replace(/^(`|\*\*)|(`|\*\*)$/g, '');
      return element;
    });
  }

  // at follows a path into facts. An element of a list goes by one of its words; of several, the next step chooses.
  function at(facts, path) {
    const step = (value, key) => {
      if (!Array.isArray(value)) return value[key];
      const found = value.filter(e => Object.values(e).includes(key));
      return found.length > 1 ? found : found[0];
    };
    return path.split('.').reduce(step, facts);
  }

  // rightNumber and rightChoice find the answer in the facts of the question's call.
  function rightNumber(facts) {
    const product = about.path.reduce((value, path) => value * at(facts, path), 1);
    return product / (about.over ? at(facts, about.over) : 1) / (about.unit || 1);
  }

  function rightChoice(facts) {
    const sign = about.pick === 'most' ? 1 : -1;
    const worth = text => sign * at(facts, about.choices[text]);
    return Object.keys(about.choices).reduce((best, text) => worth(text) > worth(best) ? text : best);
  }

  const verdict = make('div', { id: 'verdict', role: 'status', 'aria-live': 'polite' });
  const reveal = make('button', { type: 'button', hidden: '' }, 'Show the answer');
  const field = about.choices
    ? make('fieldset', {}, make('legend', {}, 'Your answer'), ...Object.keys(about.choices).map(text =>
      make('p', {}, make('label', {}, make('input', { type: 'radio', name: 'choice', value: text, required: '' }),
        ' ' + text))))
    : make('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', size: 8, required: '',
      'aria-label': 'Your answer' });
  const form = make('form', { id: 'question' }, field, make('button', {}, 'Check'), reveal);

  // judged returns the verdict on an answer, null to show the right one: whether it is right, and what to say.
  function judged(facts, answer) {
    if (about.choices) {
      const right = rightChoice(facts);
      return [answer === right, `${answer === right ? 'Right' : 'No'}: **${right}**.`];
    }
    const right = rightNumber(facts);
    const shown = right.toLocaleString('en', { maximumSignificantDigits: 3 });
    if (answer === null) return [true, `It is **${shown}**.`];
    const given = Number(answer.trim().replace(',', '.'));
    if (!Number.isFinite(given)) return [false, 'Type a number, such as 1.5.'];
    if (Math.abs(given - right) <= about.tolerance * Math.abs(right)) return [true, `Right: **${shown}**.`];
    return [false, `Not yet: the right number is ${given < right ? 'larger' : 'smaller'}.`];
  }

  async function check(answer) {
    verdict.replaceChildren('The engine computes the answer.');
    let reply;
    try {
      reply = await ask(about.request);
    } catch (error) {
      reply = { error: String(error) };
    }
    if (reply.error) {
      verdict.replaceChildren(reply.error);
      return;
    }
    const [right, words] = judged(reply.facts, answer);
    verdict.dataset.right = right;
    verdict.replaceChildren(make('p', {}, words));
    if (right || about.choices) {
      verdict.append(make('p', {}, about.explain), make('p', {}, `The engine says so: \`${reply.command}\``));
    }
    reveal.hidden = right || Boolean(about.choices);
  }

  form.addEventListener('submit', event => {
    event.preventDefault();
    check(about.choices ? form.elements.choice.value : field.value);
  });
  reveal.addEventListener('click', () => check(null));

  const to = (text, number) => about.titles[number - 1]
    ? [make('a', { href: '#lesson=' + number }, `${text}: ${number}. ${about.titles[number - 1]}`)] : [];
  section.replaceChildren(
    make('h2', {}, `Lesson ${about.number} of ${about.titles.length}: ${about.title}`),
    make('div', { class: 'lesson' },
      make('div', {}, ...about.paragraphs.map(text => make('p', {}, text)),
        make('h3', {}, 'Question'), make('p', {}, about.question), form, verdict,
        make('h3', {}, 'Break it'), make('p', {}, about.break)),
      make('div', {}, ...beside)),
    make('nav', { 'aria-label': 'Lessons' }, ...to('Back', about.number - 1), ...to('Next', about.number + 1)));
  section.hidden = false;
}
