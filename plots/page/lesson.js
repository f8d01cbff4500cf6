'use strict';

// lesson shows a lesson of package lessons in a section of the page: its text with pictures, questions that the engine
// answers with the settings of the lesson, wherever the sliders are, and a thing to break. beside has the lesson's own
// chart and sliders. ask calls the engine.
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

  // Units of answers: what one is of the facts.
  const units = { h: 3600, min: 60, '%': 0.01, 'jobs/h': 1 / 3600 };

  // rightNumber and rightChoice find the answer to a question in the facts of its call.
  function rightNumber(question, facts) {
    const product = question.path.reduce((value, path) => value * at(facts, path), 1);
    return product / (question.over ? at(facts, question.over) : 1) / (units[question.in] ?? 1);
  }

  function rightChoice(question, facts) {
    const sign = question.pick === 'most' ? 1 : -1;
    const worth = text => sign * at(facts, question.choices[text]);
    return Object.keys(question.choices).reduce((best, text) => worth(text) > worth(best) ? text : best);
  }

  // typed returns the number of an answer such as 4.5, 4,5, $4.5 or 270 min, in the unit of the question; NaN for
  // others.
  function typed(question, answer) {
    const words = /^\$?\s*([-+]?\d*[.,]?\d+)\s*(.*)$/.exec(answer.trim().toLowerCase());
    if (!words) return NaN;
    const number = Number(words[1].replace(',', '.'));
    const unit = words[2].replace(/^hours?$/, 'h').replace(/^(minutes?|mins?|m)$/, 'min');
    const times = ['h', 'min'].includes(unit) && ['h', 'min'].includes(question.in);
    return times ? number * units[unit] / units[question.in] : ['h', 'min'].includes(unit) ? NaN : number;
  }

  // judged returns the verdict on an answer, null to show the right one: whether it is right, and what to say.
  function judged(question, facts, answer) {
    if (question.choices) {
      const right = rightChoice(question, facts);
      return [answer === right, `${answer === right ? 'Right' : 'No'}: **${right}**.`];
    }
    const right = rightNumber(question, facts);
    const shown = right.toLocaleString('en', { maximumSignificantDigits: 3 }) + (question.in ? ' ' + question.in : '');
    if (answer === null) return [true, `It is **${shown}**.`];
    const given = typed(question, answer);
    if (!Number.isFinite(given)) return [false, `Type a number, such as 1.5 ${question.in ?? ''}`.trim() + '.'];
    if (Math.abs(given - right) <= question.tolerance * Math.abs(right)) return [true, `Right: **${shown}**.`];
    return [false, `Not yet: the right number is ${given < right ? 'larger' : 'smaller'}.`];
  }

  // asked returns a question with its form.
  function asked(question, i) {
    const verdict = make('div', { class: 'verdict', role: 'status', 'aria-live': 'polite' });
    const reveal = make('button', { type: 'button', hidden: '' }, 'Show the answer');
    const field = question.choices
      ? make('fieldset', {}, make('legend', {}, 'Your answer'), ...Object.keys(question.choices).map(text =>
        make('p', {}, make('label', {}, make('input', { type: 'radio', name: 'choice', value: text, required: '' }),
          ' ' + text))))
      : make('label', {}, make('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', size: 8,
        required: '', 'aria-label': 'Your answer' }), ' ' + (question.in ?? ''));
    const form = make('form', {}, field, make('button', {}, 'Check'), reveal);
    let reply; // is asked for once: sliders do not change it

    async function check(answer) {
      verdict.replaceChildren('The engine computes the answer.');
      reply ??= await ask(question.request).catch(error => ({ error: String(error) }));
      if (reply.error) {
        verdict.replaceChildren(reply.error);
        reply = undefined;
        return;
      }
      const [right, words] = judged(question, reply.facts, answer);
      verdict.dataset.right = right;
      verdict.replaceChildren(make('p', {}, words));
      if (right || question.choices) {
        verdict.append(make('p', {}, question.explain), make('p', {}, `The engine says so: \`${reply.command}\``));
      }
      reveal.hidden = right || Boolean(question.choices);
    }

    form.addEventListener('submit', event => {
      event.preventDefault();
      check(question.choices ? form.elements.choice.value : form.querySelector('input').value);
    });
    reveal.addEventListener('click', () => check(null));
    return make('div', { class: 'question' }, make('p', {}, `${i + 1}. ${question.text}`), form, verdict);
  }

  // drawn returns the figure of a picture, which is drawn once the page has it.
  const figures = [];
  function drawn(number) {
    const picture = about.pictures[number - 1], figure = make('figure', {}, make('figcaption', {}, picture.title));
    figures.push(() => (picture.pieces ? gantt : chart)(figure, picture));
    return figure;
  }

  const to = (text, number) => about.titles[number - 1]
    ? [make('a', { href: '#lesson=' + number }, `${text}: ${number}. ${about.titles[number - 1]}`)] : [];
  section.replaceChildren(
    make('h2', {}, `Lesson ${about.number} of ${about.titles.length}: ${about.title}`),
    make('div', { class: 'lesson' },
      make('div', {}, ...about.paragraphs.map(p => p.picture ? drawn(p.picture) : make('p', {}, p.text)),
        make('h3', {}, 'Questions'), ...about.questions.map(asked),
        make('h3', {}, 'Break it'), make('p', {}, about.break)),
      make('div', {}, ...beside)),
    make('nav', { 'aria-label': 'Lessons' }, ...to('Back', about.number - 1), ...to('Next', about.number + 1)));
  section.hidden = false;
  for (const draw of figures) draw();
}
