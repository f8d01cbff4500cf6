'use strict';

// The page asks the engine and shows its answers. It holds no formula: numbers come from the engine, and the page
// only scales them to the units of its axes. Names of customers and policies are data: they enter by textContent.
(async () => {
  const $ = id => document.getElementById(id);
  const data = await unpacked('data').json();
  const about = data.describe.facts;
  const controls = new Map(about.controls.map(c => [c.path, c]));
  const page = document.documentElement;
  const hour = 3600;

  // make returns a new element with attributes and children; text becomes text nodes.
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
    }
    element.append(...children);
    return element;
  }

  // ---- Settings and the link that carries them

  const counts = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
  const digits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 });
  const count = n => counts.format(n), percent = share => count(100 * share) + ' %';
  const values = new Map();
  const parts = new Map(); // slider, output and button by path
  const chosen = new Set(); // paths of shares that were moved: the other shares follow
  const file = path => controls.get(path).value;
  // Shares of job classes add up to 1; a share of a customer on a trace is one of the jobs that are left.
  const isShare = path => controls.get(path).group === 'share' && !path.endsWith('.of.share');

  function resetAll() {
    for (const c of about.controls) values.set(c.path, c.value);
    chosen.clear();
    if ($('policy').options.length) $('policy').selectedIndex = 0;
  }

  // settings returns the overrides of the file. Of shares, one override alone lets the engine scale the others.
  function settings(without) {
    const set = [];
    for (const [path, value] of values) {
      const sent = isShare(path) && chosen.size > 0 ? chosen.size > 1 || chosen.has(path) : value !== file(path);
      if (sent && path !== without) set.push(path + '=' + value);
    }
    return set;
  }

  function request(command, more) {
    const asked = { command, scenario: data.scenario, name: data.name, set: settings(), ...more };
    asked.set.unshift(...(data.set ?? []));
    return asked;
  }

  function writeLink() {
    const parts = settings();
    if ($('policy').selectedIndex > 0) parts.push('policy=' + $('policy').value);
    const open = Object.keys(views).filter(name => views[name].details.open && !views[name].begins);
    if (open.length) parts.push('views=' + open.join());
    const link = parts.map(part => {
      const at = part.lastIndexOf('='); // a name may have one too
      return [part.slice(0, at), part.slice(at + 1)].map(encodeURIComponent).join('=');
    }).join('&');
    history.replaceState(null, '', link ? '#' + link : location.pathname + location.search);
  }

  // readLink applies what the address says; a part that this page does not know is ignored.
  function readLink() {
    resetAll();
    for (const part of location.hash.slice(1).split('&')) {
      let [name, value] = part.split('=');
      try {
        [name, value] = [decodeURIComponent(name), decodeURIComponent(value)];
      } catch {
        continue;
      }
      if (name === 'views') {
        for (const view of value.split(',')) if (Object.hasOwn(views, view)) views[view].details.open = true;
      } else if (name === 'policy') {
        if ([...$('policy').options].some(option => option.value === value)) $('policy').value = value;
      } else if (controls.has(name) && value !== '' && Number.isFinite(+value)) {
        values.set(name, +value);
        if (isShare(name)) chosen.add(name);
        if (!$('heaviest').contains(parts.get(name).slider)) $('all').open = true;
      }
    }
    for (const path of values.keys()) showValue(path);
  }

  function showValue(path) {
    const c = controls.get(path), { slider, output, button } = parts.get(path), value = values.get(path);
    let [shown, unit] = c.percent ? [value * 100, '%'] : [value, c.unit];
    if (unit === 's' && value >= hour) [shown, unit] = [value / hour, 'h'];
    const text = digits.format(shown);
    slider.value = value;
    output.value = unit ? text + '\u00a0' + unit : text;
    slider.setAttribute('aria-valuetext', output.value);
    button.disabled = value === c.value;
  }

  // move sets one value. When a share moves, the shares of other customers make room in proportion.
  function move(path, value) {
    values.set(path, value);
    if (isShare(path)) {
      chosen.add(path);
      const others = [...values.keys()].filter(p => p !== path && isShare(p));
      const sum = others.reduce((total, p) => total + values.get(p), 0);
      let rest = 1 - value; // the last one takes it, so that the sum is 1
      others.forEach((p, i) => {
        const part = (1 - value) * (sum > 0 ? values.get(p) / sum : 1 / others.length);
        values.set(p, Math.max(0, +(i < others.length - 1 ? part : rest).toFixed(6)));
        rest -= values.get(p);
        showValue(p);
      });
    }
    showValue(path);
    changed();
  }

  function reset(path) {
    if (isShare(path)) {
      for (const p of values.keys()) if (isShare(p)) values.set(p, file(p)), showValue(p);
      chosen.clear();
    }
    values.set(path, file(path));
    showValue(path);
    changed();
  }

  function bind(path, slider, output, button) {
    parts.set(path, { slider, output, button });
    slider.addEventListener('input', () => move(path, +slider.value));
    button.addEventListener('click', () => reset(path));
  }

  function buildControl(c, grouped) {
    const id = 'set-' + c.path;
    const several = about.controls.some(other => other.customer && other.customer !== c.customer);
    const name = c.customer && !grouped && several ? `${c.label} of ${c.customer}` : c.label;
    const slider = make('input', { type: 'range', id, 'data-path': c.path, min: c.min, max: c.max,
      step: c.step || 'any' });
    const output = make('output', { for: id });
    const button = make('button', { type: 'button', class: 'reset', 'data-path': c.path,
      'aria-label': `Reset ${name}` }, 'Reset');
    bind(c.path, slider, output, button);
    return make('div', { class: 'setting' }, make('label', { for: id }, name), output, button, slider);
  }

  // buildControls puts the three heaviest controls on the first screen and all others below, by customer. The load is in
  // the picture, if there is one.
  function buildControls() {
    const sorted = [...about.controls].sort((a, b) => b.weight - a.weight);
    const top = sorted.filter(c => c.path === 'load');
    // Without weights, one of each kind.
    const fresh = c => c.weight > 0 || !top.some(other => other.group === c.group);
    for (const c of sorted) if (top.length < 3 && !top.includes(c) && fresh(c)) top.push(c);
    if (data.hero) {
      const find = of => $('hero').querySelector(of);
      find('.reset').hidden = false;
      bind('load', find('input'), find('output'), find('.reset'));
    }
    $('heaviest').append(...top.filter(c => !parts.has(c.path)).map(c => buildControl(c, false)));
    const groups = new Map();
    for (const c of about.controls) {
      if (top.includes(c)) continue;
      const name = c.customer || 'Machine and load';
      if (!groups.has(name)) groups.set(name, make('fieldset', {}, make('legend', {}, name)));
      groups.get(name).append(buildControl(c, true));
    }
    $('customers').append(...groups.values());
    $('all').parentElement.hidden = groups.size === 0;
    const where = { slurm: 'Slurm can run it', plugin: 'Slurm with a plug-in' };
    for (const p of about.policies) {
      $('policy').append(make('option', { value: p.label }, `${p.label} (${where[p.runs_on] || 'research'})`));
    }
    if (about.left_out.length) {
      $('policy').append(make('optgroup', { label: 'Not for this scenario' }, ...about.left_out.map(p =>
        make('option', { disabled: true, title: p.reason }, `${p.name}: ${p.reason}`))));
    }
  }

  // ---- The engine, in workers: each answers one call at a time

  const compiled = WebAssembly.compileStreaming(unpacked('engine'));
  const script = new Blob([await unpacked('worker').text()], { type: 'text/javascript' });
  const address = URL.createObjectURL(script);

  const files = await Promise.all((data.files ?? []).map(async (path, i) =>
    [path, new Uint8Array(await unpacked('file-' + i).arrayBuffer())]));

  function engine() {
    let controller = null, worker = null;

    async function start() {
      worker = new Worker(address);
      worker.postMessage({ module: await compiled, version: data.version, files });
    }

    // ask sends a request. A worker cannot be interrupted: to cancel, it ends and another starts. It tells progress the
    // share of its simulations that has ended.
    async function ask(text, signal, progress) {
      await compiled;
      if (!worker) await start();
      signal.throwIfAborted();
      return new Promise((resolve, reject) => {
        const end = () => {
          worker.terminate();
          worker = null;
        };
        worker.onmessage = event => {
          if (event.data.share !== undefined) return progress?.(event.data.share);
          if (event.data.ended) end();
          resolve(JSON.parse(event.data.reply));
        };
        worker.onerror = event => {
          end();
          reject(new Error(event.message || 'the engine ended'));
        };
        worker.postMessage({ id: 1, request: text });
        signal.onabort = () => {
          worker.terminate();
          start();
          reject(signal.reason);
        };
      });
    }

    return {
      since: 0,
      get busy() { return controller !== null; },
      cancel() { if (controller) controller.abort(); },
      async call(asked, progress) {
        const mine = controller = new AbortController();
        this.since = performance.now();
        try {
          return await ask(JSON.stringify(asked), mine.signal, progress);
        } finally {
          mine.signal.onabort = null;
          if (controller === mine) controller = null;
        }
      },
    };
  }

  // ---- What is shown

  let version = 1; // counts changes of settings
  let solved = 0; // the version that the answer on screen belongs to
  let solution = data.solve; // the newest answer
  const model = engine(), curves = engine(), simulation = engine();

  function status(text) {
    if (text !== undefined) $('status').textContent = text;
    const state = modeling || simulating || curve.busy ? 'busy' : 'idle';
    if ($('status').dataset.state !== state) $('status').dataset.state = state;
  }

  function draw(figure, spec, how = chart) {
    figure.lastElementChild.textContent = spec.title;
    how(figure, spec);
  }

  const few = 5; // replications: below that, there are no intervals

  // fillTable shows rows of text, the headings first. Cells carry their heading for narrow screens.
  function fillTable(place, rows, kind) {
    place.hidden = !rows || rows.length < 2;
    if (place.hidden) return;
    const [head, ...rest] = rows;
    const cell = (text, i) => i ? make('td', { 'data-name': head[i] }, text) : make('th', { scope: 'row' }, text);
    const table = make('table', { class: kind },
      make('thead', {}, make('tr', {}, ...head.map(text => make('th', { scope: 'col' }, text)))),
      make('tbody', {}, ...rest.map(row => make('tr', {}, ...row.map(cell)))));
    place.replaceChildren(table);
    sortable(table);
  }

  // showFormula shows the answer of the formulas.
  function showFormula(reply) {
    $('problem').textContent = reply.error || '';
    $('formula').classList.toggle('stale', Boolean(reply.error));
    if (reply.error) return;
    $('command').textContent = reply.command;
    const { values } = reply.facts;
    $('earns').textContent = amount(values.value);
    $('possible').textContent = values.bound === undefined ? '' : amount(values.bound);
    $('possible').parentElement.hidden = values.bound === undefined;
    $('of').textContent = (values.bound === undefined ? 'Best ' : '') + kindOf(reply.facts);
    $('next').textContent = values.next_unit === undefined ? ''
      : `One more ${values.unit} would deliver ${amount(values.next_unit)} $/h.`;
    $('model').textContent = `By formulas, with ${values.residual} delays.`;
    showWarnings(reply);
  }

  function showWarnings(reply) {
    const warnings = reply.warnings || [];
    $('warnings').hidden = warnings.length === 0;
    $('warnings').firstElementChild.textContent = `${warnings.length} warning${warnings.length === 1 ? '' : 's'}`;
    $('warnings').lastElementChild.replaceChildren(...warnings.map(w => make('li', {}, w)));
  }

  // rowName names a row of the table of policies, also by its admission if that refuses jobs.
  const rowName = ({ policy, admission }) => policy + (admission && admission !== 'all' ? `, ${admission}` : '');

  // showFirst shows where the site stands, by simulation.
  function showFirst(reply) {
    const { tables: { policies: rows }, values: { jobs, sample }, replications } = reply.facts;
    const bound = reply.facts.columns['policies.value']?.bound;
    const of = name => rows.find(row => rowName(row) === name)?.value;
    const curves = data.hero?.curves.map(({ name }) => of(name));
    found = { curves, bound, tiles: reply.tiles ?? [], words: reply.first };
    const some = sample && sample !== 'all' && about.jobs > jobs ? `last ${count(jobs)} of ${count(about.jobs)} jobs`
      : about.kind === 'trace' ? `all ${count(jobs)} jobs` : `${count(jobs)} jobs`;
    $('scope').textContent = `Simulated: ${some}` + (replications > 1 ? `, ${replications} times.` : '.');
  }

  let found = null; // what the simulations say of the settings that they were last made for
  const picture = data.hero && hero($('hero'), data.hero);

  // showTop shows the tiles, the sentence and the picture: of the simulations of these settings or, while they run and
  // nothing but the load has moved, of the points between which it lies. Else what was found before stays, gray.
  function showTop() {
    const exact = found && !$('tiles').classList.contains('stale');
    const between = !exact && picture && settings('load').length === 0;
    for (const id of ['hero', 'tiles', 'answer', 'line']) $(id).classList.toggle('interpolated', between);
    const at = between ? picture.at(values.get('load')) : found;
    if (!at) return;
    showTiles(between ? tilesBetween(at) : found.tiles);
    $('answer').textContent = between ? wordsBetween(at) : found.words;
    if (picture) picture.show(values.get('load'), at);
  }

  // showTiles writes tiles, into those that are there where their number is the same.
  function showTiles(tiles) {
    $('tiles').hidden = tiles.length === 0;
    if ($('tiles').children.length !== tiles.length) {
      $('tiles').replaceChildren(...tiles.map(() =>
        make('div', {}, make('dt'), make('dd'), make('dd', { class: 'of' }))));
    }
    if ($('line').children.length !== tiles.length) $('line').replaceChildren(...tiles.map(() => make('span')));
    tiles.forEach(({ name, value, of }, i) => {
      [name, value, of].forEach((text, k) => { $('tiles').children[i].children[k].textContent = text; });
      $('line').children[i].replaceChildren(name + ' ', make('b', {}, value.replace(/ \u00b1 [\d.,]+/, '')));
    });
  }

  // tilesBetween are tiles of what lies between points, under the policies of the first tiles.
  function tilesBetween({ curves, bound }) {
    const best = data.hero.curves.findIndex(({ name }) => name === data.validate.facts.values.best);
    return data.validate.tiles.map(({ name, of }, i) => {
      const which = [0, best][i] ?? -1; // the present is the first
      return { name, of: which < 0 ? of : data.hero.curves[which].name + ', interpolated',
        value: i === 2 ? picture.words(bound) : which < 0 ? '-' : picture.words(curves[which]) };
    });
  }

  function wordsBetween({ curves, bound }) {
    const list = data.hero.curves.map(({ name }, i) => `${name} ${picture.words(curves[i])}`);
    const at = `At a load of ${percent(values.get('load'))}`;
    return `${at}: ${list.join(', ')}; no policy can exceed ${picture.words(bound)}.`;
  }

  // amount writes an amount of money.
  const amount = x => x.toLocaleString('en',
    Math.abs(x) < 1000 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 0 });

  // kindOf says which admissions the optimum of an answer is of.
  const kindOf = ({ tables }) => tables.classes[0].price === undefined ? 'static admission' : 'prices';

  // pointsOf returns the points of an answer along the load, each like the answer of solve at its load.
  const pointsOf = ({ tables: { points, classes } }) => points.map(p =>
    ({ values: p, tables: { classes: classes.filter(c => c.load === p.load) } }));

  const loads = data.curve && data.curve.facts ? data.curve.facts.tables.points.map(p => p.load) : [];
  const curve = { key: '', points: new Map(), took: 0, busy: false, command: '' };
  const curveKey = () => JSON.stringify(settings('load'));

  // passes returns lists of loads to compute one after the other: all at once where that is fast, else every
  // fourth first.
  function passes() {
    return curve.took < 150 ? [loads] : [loads.filter((_, i) => i % 4 === 0), loads.filter((_, i) => i % 4 !== 0)];
  }

  // drawCurve computes the curve of the newest settings, in a worker of its own so that answers need not wait.
  async function drawCurve() {
    if (curve.busy) return;
    curve.busy = true;
    while (loads.length && curve.key !== curveKey()) {
      const points = new Map(), key = curve.key = curveKey(), set = settings('load');
      const start = performance.now();
      for (const pass of passes()) {
        const vary = 'load=' + pass.join();
        const reply = await curves.call(request('solve', { vary, set })).catch(error => ({ error: error.message }));
        if (reply.error) break;
        for (const p of pointsOf(reply.facts)) points.set(p.values.load, p);
        curve.command = reply.command.replace(vary, `load=${loads[0]}:${loads.at(-1)}:x${loads.length}`);
        curve.points = points;
        showPicture();
        showWaits();
        if (key !== curveKey()) break;
      }
      curve.took = performance.now() - start;
    }
    curve.busy = false;
    status();
  }

  // sorted returns the points of the curve by load, and the current settings where they lie beyond its end.
  function sorted() {
    const points = [...curve.points.values()].sort((a, b) => a.values.load - b.values.load);
    if (points.length && solution.facts.values.load > points.at(-1).values.load) points.push(solution.facts);
    return points;
  }

  function showPicture() {
    if (!$('formula').open) return;
    const points = sorted(), unit = '$/h', x = points.map(p => p.values.load), { values } = solution.facts;
    const ceilings = points.map(p => p.values.bound ?? null);
    draw($('picture'), {
      title: 'How much can be earned at each load?',
      x: { label: 'Load', percent: true },
      y: { label: 'Revenue', unit },
      series: [{ name: 'best admission', kind: 'line', x, y: points.map(p => p.values.value) }],
      ceiling: ceilings.some(y => y !== null)
        ? { name: `proven ceiling with ${kindOf(solution.facts)}`, x, y: ceilings } : undefined,
      marks: [{ x: values.load, y: values.value, text: `now ${amount(values.value)} ${unit}` }],
      alt: 'Revenue of the best admission and its proven ceiling against load, with the current settings marked.',
    });
  }

  // ---- Views: each computes when it is open

  const views = {};

  function view(name, figures = 1) {
    const details = $('view-' + name).firstElementChild;
    const v = { name, details, words: make('p'), table: make('div', { class: 'scroll', hidden: true }),
      command: make('code'), key: '', begins: details.open };
    v.figures = Array.from({ length: figures }, (_, i) => make('figure', { id: `figure-${name}-${i}` },
      make('figcaption')));
    details.append(v.words, make('div', { class: 'figures' }, ...v.figures.map(figure =>
      make('div', {}, figure, make('p', { class: 'tools' }, 'Save as', ...['png', 'svg', 'csv'].map(kind =>
        make('button', { type: 'button', 'data-export': kind, 'data-figure': figure.id }, kind.toUpperCase())))))),
    v.table, make('p', {}, v.command));
    details.addEventListener('toggle', () => {
      showWaits();
      wake();
      restart();
    });
    return views[name] = v;
  }

  function showWaits() {
    const v = views.waits, points = about.model && v.details.open ? sorted() : [];
    if (!points.length) return;
    const x = points.map(p => p.values.load);
    const line = pick => points[0].tables.classes.map((c, i) => ({ name: c.pool ? `${c.class} in ${c.pool}` : c.class,
      kind: 'line', x, y: points.map(p => pick(p.tables.classes[i])) }));
    const mark = [{ x: solution.facts.values.load, text: 'now' }];
    const waits = line(c => c.admit > 0 ? c.wait ?? null : null);
    const known = waits.flatMap(one => one.y).filter(y => y > 0);
    const log = Math.max(...known) > 1000 * Math.min(...known);
    draw(v.figures[0], { title: 'Which share of jobs does the best static admission admit?', marks: mark,
      x: { label: 'Load', percent: true }, y: { label: 'Admitted', percent: true, min: 0, max: 1 },
      series: line(c => c.admit), alt: 'Share of the jobs of each customer that is admitted, against load.' });
    draw(v.figures[1], { title: 'How long do admitted jobs wait on average?', marks: mark,
      x: { label: 'Load', percent: true }, y: { label: 'Mean wait', time: true, ...log ? { log } : { min: 0 } },
      series: waits, alt: 'Mean wait of each customer against load.' });
    v.command.textContent = curve.command;
    fillTable(v.table, solution.tables.classes);
  }

  // bars returns a series of bars with intervals, none below five replications; pick returns the estimate of an
  // element of a list. Shares end at 0 and 1.
  function bars(name, list, pick, share) {
    const found = list.map((item, x) => ({ x, e: pick(item) })).filter(({ e }) => e && e.mean !== null);
    const within = y => share ? Math.min(1, Math.max(0, y)) : y;
    const side = sign => found.map(({ e }) => e.half_width === null || e.n < few ? null
      : within(e.mean + sign * e.half_width));
    return { name, kind: 'bars', x: found.map(({ x }) => x), y: found.map(({ e }) => within(e.mean)), low: side(-1),
      high: side(1) };
  }

  // policiesChart shows the rows of validate, the most valuable first, by the place where they can run.
  function policiesChart({ tables, replications, values }) {
    const rows = tables.policies, where = { slurm: 'Slurm can run it', plugin: 'Slurm with a plug-in', log: 'the log' };
    const kinds = [...Object.values(where), 'research'];
    const runs = replications > 1 ? ` (${replications} replications of ${count(values.jobs)} jobs)` : '';
    const share = ({ share: mean, share_low: low, share_high: high }) => mean !== undefined
      && { mean, half_width: low === undefined ? null : (high - low) / 2, n: replications };
    return { title: `Share of the proven bound, by policy and admission${runs}`,
      x: { categories: rows.map(rowName) },
      y: { label: 'Share of the bound', percent: true, min: 0, max: 1 },
      series: kinds.map(kind => bars(kind, rows, p => (where[p.runs_on] || 'research') === kind && share(p), true))
        .filter(one => one.x.length),
      ceiling: { name: 'proven bound', x: rows.map((_, i) => i), y: rows.map(() => 1) },
      alt: 'Policies, the most valuable first, as shares of the proven bound.' };
  }

  function showPolicies(reply) {
    draw(views.policies.figures[0], policiesChart(reply.facts));
    fillTable(views.policies.table, reply.rows, 'policies');
    showFirst(reply);
    showTop();
    showPair(reply);
    if (!about.model) showWarnings(reply);
  }

  let unit = 'node', pair = []; // the rows of today and of the best, or of what delivers most if nothing better is sure

  // showPair finds them, and shows whose wait changes.
  function showPair({ facts: { tables: { policies, affected = [] }, values }, tables }) {
    const others = policies.filter(row => !row.present && row.runs_on !== 'log'), v = views.harm;
    const other = others.find(row => rowName(row) === values.best) ?? others[0], now = policies.find(row => row.present);
    unit = values.unit ?? unit;
    pair = now && other && about.kind !== 'grid' ? [now, other] : [];
    views.machine.details.parentElement.hidden = pair.length === 0;
    const name = other && rowName(other), own = ({ row }) => row === name, list = affected.filter(own);
    v.details.parentElement.hidden = list.length === 0;
    if (!list.length) return;
    const lost = ({ not_run_after: x, not_run_before: y }) => x > y ? `${percent(x - y)} more do not run` : '';
    const group = one => one.name ?? `${one.kind} ${count(one.from)} to ${count(one.to)}`;
    draw(v.figures[0], { title: `Mean wait: from today's to that under ${name}`,
      x: { label: 'Mean wait', time: true, min: 0 }, rows: list.map(one => ({ name: group(one), harmed: one.harmed,
        note: lost(one), from: one.mean_wait_before ?? 0, to: one.mean_wait_after ?? 0 })),
      alt: `For each customer and group of width, the mean wait today and under ${name}; red where it is harm.`,
    }, arrows);
    v.words.textContent = 'An arrow leads from the wait under the simulated present to that under the other policy. '
      + 'Red is harm: jobs wait much longer, or more of them do not run.';
    fillTable(v.table, tables.affected.filter((_, i) => !i || own(affected[i - 1])));
    v.command.textContent = views.policies.command.textContent;
  }

  // showCustomers shows the policy that is chosen, on the very jobs on which policies are compared.
  function showCustomers(reply) {
    const { tables: { customers: all }, replications: n } = reply.facts;
    const own = ({ policy, admission }) => policy === $('policy').value && admission === admissionNow();
    const list = all.filter(own), words = reply.tables.customers.filter((_, i) => !i || own(all[i - 1]));
    const of = column => c => c[column] === undefined ? null : { mean: c[column], n,
      half_width: c[column + '_high'] === undefined ? null : (c[column + '_high'] - c[column + '_low']) / 2 };
    draw(views.customers.figures[0], { title: `What happens to the jobs of each customer under ${rowName(list[0])}?`,
      x: { categories: list.map(c => c.pool ? `${c.customer ?? 'all'} in ${c.pool}` : c.customer) },
      y: { label: 'Jobs in a replication', min: 0 },
      series: [bars('served', list, of('jobs_completed')), bars('refused', list, of('jobs_rejected')),
        bars('given up', list, of('jobs_given_up')), bars('late', list, of('jobs_late'))],
      alt: 'Jobs that were served, refused, given up and late, by customer.' });
    fillTable(views.customers.table, words);
  }

  // admissionNow names the admission of simulations, as rows of tables do.
  const admissionNow = () => about.model ? 'analytic' : 'all';

  // ---- Two loops: the model answers every move; simulations run in rounds and narrow their intervals

  let modeling = false, simulating = false;
  const errands = []; // calls of the model's engine that a button asks for

  function nextTask() {
    if (about.model && solved !== version) return solve;
    if (errands.length) return errands.shift();
    return null;
  }

  // answered counts the answers of the engine to the settings on screen.
  function answered() {
    page.dataset.ready = 'engine';
    page.dataset.answered = +(page.dataset.answered || 0) + 1;
  }

  async function solve() {
    const asked = version;
    const reply = await model.call(request('solve', { no_check: true }));
    solved = asked;
    if (!reply.error) solution = reply;
    showFormula(reply);
    showPicture();
    showWaits();
    if (asked === version) answered();
    drawCurve();
  }

  async function wake() {
    if (modeling) return;
    modeling = true;
    status();
    for (let task; (task = nextTask());) {
      try {
        await task();
      } catch (error) {
        if (error.name === 'AbortError') continue;
        showFormula({ error: error.message });
        break;
      }
    }
    modeling = false;
    status();
  }

  let run = 0, timer = 0;

  // restart makes simulations stale: what runs ends, and open views go on once the settings rest. A page that nobody
  // sees simulates nothing.
  function restart() {
    run++;
    simulation.cancel();
    clearTimeout(timer);
    simulating = !document.hidden;
    if (simulating) timer = setTimeout(simulate, 300);
    status(simulating ? undefined : '');
  }

  // showCheck shows what the simulator says of the advice of the formulas.
  function showCheck(reply) {
    const { values, replications } = reply.facts ?? { values: {} };
    const known = values.checked !== undefined;
    $('checked').textContent = known ? `By formula: ${reply.words.join(' ')} Checked under ${values.policy}, ${
      replications} times ${count(values.checked_jobs)} jobs.` : '';
    $('checked').classList.remove('stale');
  }

  let checked = ''; // the settings of the last check
  const advice = () => request('solve');

  // check simulates the advice at the settings on screen.
  async function check() {
    const asked = advice(), key = JSON.stringify(asked), mine = run;
    if (!about.model || checked === key) return;
    status('Checks the admission by simulation.');
    const reply = await simulation.call(asked);
    if (mine !== run) return;
    checked = key;
    showCheck(reply);
  }

  // fresh says whether a view shows the settings on screen. The first line is of the comparison of policies.
  function fresh(v, is = true) {
    v.details.classList.toggle('stale', !is);
    if (v !== views.policies) return;
    views.harm.details.classList.toggle('stale', !is);
    for (const id of ['hero', 'tiles', 'line', 'answer']) $(id).classList.toggle('stale', !is);
    computing(is ? '' : 'computing');
  }

  // computing marks the first numbers as those of other settings, or as interpolated.
  function computing(text) {
    for (const id of ['line', 'answer']) {
      if (!text) delete $(id).dataset.computing;
      else $(id).dataset.computing = $(id).classList.contains('interpolated') ? `interpolated, ${text}` : text;
    }
  }

  // showView shows the reply to what a view asked.
  function showView(v, ...replies) {
    const reply = replies.find(reply => reply.error) ?? replies[0];
    v.command.textContent = reply.command || '';
    v.words.textContent = (reply.error ? [reply.error] : reply.words || []).join(' ');
    v.table.hidden = true;
    for (const figure of v.figures) figure.parentElement.hidden = Boolean(reply.error);
    fresh(v);
    if (!reply.error) v.show(...replies);
    else if (v === views.policies) $('problem').textContent = reply.error;
  }

  // size says how much is simulated for a request.
  const size = ({ jobs, replications }) =>
    [jobs && `${count(jobs)} jobs`, replications && `${replications} replications`].filter(Boolean).join(', ');

  // simulateView simulates a view at the settings on screen, unless it shows them already.
  async function simulateView(v) {
    const asked = v.ask(), key = JSON.stringify(asked), mine = run;
    if (v.key === key) {
      fresh(v);
      if (v === views.policies) showTop();
      return;
    }
    const task = `Simulates ${v.name}: ${size([asked].flat()[0] ?? {})}.`.replace(': .', '.');
    status(task);
    const replies = [];
    for (const one of [asked].flat()) {
      replies.push(await simulation.call(one, share => {
        if (mine !== run) return;
        status(`${task} ${percent(share)}`);
        if (v === views.policies) computing('computing ' + percent(share));
      }));
      if (mine !== run) return;
    }
    v.key = key;
    if (replies.length) showView(v, ...replies);
    if (!about.model && v === views.policies) answered();
  }

  // simulate goes through the views that are open. Each has as many jobs and replications as the page began with, so
  // that a policy has one number. The comparison of policies comes first, for the first line.
  async function simulate() {
    const mine = run;
    writeLink();
    if (showComputed() && !about.model) answered();
    const { machine, customers, policies } = views;
    const open = [machine, customers].filter(v => v.details.open && !v.details.hidden);
    try {
      await simulateView(policies);
      if (mine === run) await check();
      for (const v of open) if (mine === run) await simulateView(v);
      if (mine !== run) return;
      if (!about.model && !page.dataset.ready) answered(); // nothing was left to ask
      $('checked').classList.remove('stale');
    } catch (error) {
      if (mine === run) $('problem').textContent = error.message;
    } finally {
      if (mine === run) {
        simulating = false;
        status('');
      }
    }
  }

  // age makes gray what is of other settings than those on screen, until it is computed.
  function age() {
    $('checked').classList.add('stale');
    for (const v of Object.values(views)) if (v.ask) fresh(v, false);
    requestAnimationFrame(() => {
      showTop();
      if ($('tiles').classList.contains('stale')) computing('computing');
    });
  }

  // changed follows every change of a setting. A call of the model that takes long already is given up.
  function changed() {
    version++;
    age();
    for (const one of [model, curves]) if (one.busy && performance.now() - one.since > 700) one.cancel();
    wake();
    restart();
  }

  // ---- Exports

  function download(name, type, text) {
    const link = make('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // made says what an export is of.
  const made = () => [['scenario', about.name], ['settings', [...data.set ?? [], ...settings()].join(' ') ||
    'as in the scenario'], ['version', 'revopt ' + data.version]];

  function exportAs(kind, figure) {
    const name = about.name.replace(/[^\w.-]+/g, '-').replace(/^[-.]+/, '').slice(0, 60) || 'scenario';
    if (kind === 'link') {
      writeLink();
      $('link').hidden = false;
      $('link').value = location.href;
      $('link').select();
      if (navigator.clipboard) navigator.clipboard.writeText(location.href).catch(() => {});
      status('The link carries all settings.');
    } else if (kind === 'yaml') {
      errands.push(async () => {
        const reply = await model.call(request('yaml'));
        const head = made().map(pair => `# ${pair.join(': ')}\n`).join('');
        if (reply.error) $('problem').textContent = reply.error;
        else download(name + '.yaml', 'application/yaml', `# ${about.title}\n${head}${reply.facts.yaml}`);
      });
      wake();
    } else {
      const v = views[/^figure-(.*)-/.exec(figure)?.[1]];
      const command = v ? v.command.textContent : curve.command;
      const part = '-' + figure.replace(/^figure-/, '').replace('picture', 'formula');
      save($(figure), kind, name + part,
        [...made(), ['command', command]].filter(([, value]) => value));
    }
  }

  // ---- Start

  function buildViews() {
    const most = 1000, whole = about.kind === 'grid' || about.kind === 'trace' && about.jobs <= most;
    const [jobs, replications] = [whole ? undefined : most, few];
    view('waits', 2);
    const harm = view('harm');
    harm.details.append(make('details', {}, make('summary', {}, 'The numbers'), harm.table, harm.command.parentElement));
    const compare = () => request('validate', { jobs, replications, policies: about.compared });
    Object.assign(view('policies'), { ask: compare, show: showPolicies });
    Object.assign(view('customers'), { ask: () => request('validate', { jobs, replications,
      policies: [$('policy').value], admission: [admissionNow()] }), show: showCustomers });
    const machine = view('machine', 0), week = schedules(machine.details);
    const jobsOfWeek = about.kind === 'trace' && about.jobs <= most ? undefined : 150;
    Object.assign(machine, {
      ask: () => pair.map(({ policy, admission = 'all' }) => request('gantt',
        { jobs: jobsOfWeek, replications: 1, policies: [policy], admission: [admission] })),
      show: (...replies) => week.show(replies.map(({ facts }, i) => ({ name: rowName(pair[i]), unit, ...facts }))),
    });
  }

  let computed; // the questions that were answered with the page

  // showComputed shows what was computed with the page, for the settings of the scenario: that is not asked again. It
  // returns whether the comparison of policies was another one before.
  function showComputed() {
    const { policies } = views, key = JSON.stringify(policies.ask()), asked = key + JSON.stringify(advice());
    computed ??= asked;
    if (asked !== computed) return false;
    const other = data.validate && policies.key !== key;
    if (other) {
      policies.key = key;
      showView(policies, data.validate);
    }
    const shown = JSON.stringify(views.machine.ask());
    if (data.schedules && views.machine.key !== shown) {
      views.machine.key = shown;
      showView(views.machine, ...data.schedules);
    }
    if (data.solve?.facts && checked !== JSON.stringify(advice())) {
      checked = JSON.stringify(advice());
      showCheck(data.solve);
    }
    return other;
  }

  function start() {
    buildControls();
    buildViews();
    $('formula').parentElement.hidden = !about.model;
    if (!about.model) views.waits.details.hidden = views.waits.details.parentElement.hidden = true; // no formulas
    new IntersectionObserver(([{ isIntersecting }]) => {
      $('line').hidden = isIntersecting || $('tiles').hidden;
    }).observe($('tiles'));

    document.querySelector('[data-export=link]').hidden = location.protocol === 'file:'; // nobody else has the file

    $('controls').addEventListener('submit', event => event.preventDefault());
    $('formula').addEventListener('toggle', () => about.model && showPicture());
    $('policy').addEventListener('change', changed);
    $('reset').addEventListener('click', () => {
      resetAll();
      for (const path of values.keys()) showValue(path);
      changed();
    });
    document.addEventListener('click', event => {
      const button = event.target.closest('button[data-export]');
      if (button) exportAs(button.dataset.export, button.dataset.figure);
    });
    document.addEventListener('visibilitychange', restart);
    addEventListener('hashchange', () => {
      readLink();
      changed();
    });

    resetAll();
    showComputed();
    readLink();
    if (settings().length || !data.validate) age();
    if (data.curve && data.curve.facts) {
      for (const p of pointsOf(data.curve.facts)) curve.points.set(p.values.load, p);
      curve.key = JSON.stringify([]);
      curve.command = data.curve.command;
    }
    if (about.model) {
      showFormula(solution);
      showPicture();
      wake();
    }
    restart();
  }

  start();
})();
