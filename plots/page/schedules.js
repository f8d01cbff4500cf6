'use strict';
// Two schedules of the same jobs, side by side, with what each has delivered so far.
//   schedules(place).show(sides) draws sides, {name, unit, pieces, queue, nodes, end}: the first is today's. Of a longer
//   time it shows the week in which they differ most. Names are data: they become text nodes only.
const schedules = place => {
  const space = 'http://www.w3.org/2000/svg', day = 86400, week = 7 * day, colors = 8;
  const element = (name, kind, ...children) => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    made.append(...children);
    return made;
  };
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  const amount = x => '$' + x.toLocaleString('en-US', Math.abs(x) < 100 ? { maximumSignificantDigits: 3 }
    : { maximumFractionDigits: 0 });
  const units = [['d', day], ['h', 3600], ['min', 60], ['s', 1]];
  const unit = seconds => units.find(([, size]) => Math.abs(seconds) >= 2 * size) ?? units[3];
  const time = seconds => {
    const [name, size] = unit(seconds);
    return `${(seconds / size).toLocaleString('en-US', { maximumSignificantDigits: 3 })} ${name}`;
  };

  const both = element('div', 'both'), words = element('p', 'soft'), legend = element('ul', 'curves');
  const play = element('button', '', 'Play'), slider = element('input'), told = element('p');
  play.type = 'button';
  play.id = 'play';
  Object.assign(slider, { type: 'range', min: 0, max: 1, step: 'any', value: 1, ariaLabel: 'Time' });
  told.setAttribute('role', 'status');
  place.append(words, element('p', 'tools', play, slider), both, legend, told);
  let shown = [], from = 0, to = 1, now = 1, frame = 0; // now is the share of the time that has passed

  // span returns the week in which the jobs submitted differ most in what they deliver, or all of a shorter time.
  function span([one, other]) {
    const last = Math.max(...[one, other].flatMap(side => side.queue.map(job => job.end ?? job.submit)));
    const begin = Math.min(...one.queue.map(job => job.submit));
    if (last - begin <= 1.5 * week) return [begin, last];
    const value = new Map(other.queue.map(job => [job.job, job.value ?? 0]));
    const gain = start => one.queue.reduce((sum, { job, submit, value: x = 0 }) =>
      sum + (submit >= start && submit < start + week ? Math.abs((value.get(job) ?? x) - x) : 0), 0);
    const starts = Array.from({ length: Math.ceil((last - week - begin) / day) }, (_, k) => begin + k * day);
    const best = starts.reduce((a, b) => gain(b) > gain(a) ? b : a);
    return [best, best + week];
  }

  const x = seconds => Math.round(1e5 * Math.min(1, Math.max(0, (seconds - from) / (to - from)))) / 100;

  // drawn makes the picture of a side: a path for each job.
  function drawn(side, customers) {
    const svg = document.createElementNS(space, 'svg'), of = new Map(side.queue.map(job => [job.job, job]));
    for (const [name, value] of [['viewBox', `0 0 1000 ${side.nodes}`], ['preserveAspectRatio', 'none'], ['role', 'img'],
      ['aria-label', `Which job runs where under ${side.name}`]]) svg.setAttribute(name, value);
    const outlines = new Map();
    for (const { job, low, high, from: begin, to: end } of side.pieces) {
      if (end <= from || begin >= to) continue;
      const box = `M${x(begin)} ${low}H${x(end)}V${high}H${x(begin)}Z`;
      outlines.set(job, (outlines.get(job) ?? '') + box);
    }
    for (const [job, outline] of outlines) {
      const path = document.createElementNS(space, 'path'), name = of.get(job)?.class ?? '';
      path.setAttribute('d', outline);
      path.setAttribute('style', `--c:var(--c${customers.indexOf(name) % colors + 1})`);
      path.dataset.job = job;
      svg.append(path);
    }
    svg.addEventListener('click', event => pick(event.target.dataset.job));
    return svg;
  }

  // pick marks a job on both sides and names it.
  function pick(job) {
    for (const path of both.querySelectorAll('[data-job]')) path.classList.toggle('picked', path.dataset.job === job);
    const [one, other] = shown.map(({ side }) => side.queue.find(other => String(other.job) === job));
    const runs = side => side.pieces.some(piece => String(piece.job) === job); // refused jobs start and end at once
    const fate = (one, side) => !one ? `${side.name}: no such job` : `${side.name}: it ${runs(side)
      ? 'waits ' + time(one.start - one.submit) : 'does not run'} and delivers ${one.end ? amount(one.value ?? 0)
      : 'nothing yet'}`;
    if (!one && !other) return told.replaceChildren();
    const { class: customer, width } = one ?? other, [now, then] = shown.map(({ side }) => side);
    const units = `${width} ${shown[0].side.unit}${width === 1 ? '' : 's'}`, whose = customer ? ' of ' + customer : '';
    told.replaceChildren(`Job ${job}${whose}, ${units}. Today, ${fate(one, now)}. Under ${fate(other, then)}.`);
  }

  // move shows the time that has passed.
  function move(share) {
    now = Math.min(1, share);
    slider.value = now;
    both.style.setProperty('--t', 100 * now);
    const moment = from + now * (to - from);
    for (const { ends, counter } of shown) {
      let sum = 0;
      for (const job of ends) {
        if (job.end > moment) break;
        sum += job.value ?? 0;
      }
      counter.textContent = amount(sum);
    }
  }

  // run plays the week in 20 seconds; with reduced motion, one step a second.
  function run(on) {
    cancelAnimationFrame(frame);
    play.textContent = on ? 'Pause' : 'Play';
    if (!on) return;
    if (now >= 1) move(0);
    let last = performance.now();
    const step = at => {
      if (!still.matches || at - last >= 1000) {
        move(now + Math.max(0, at - last) / 20000);
        last = at;
      }
      if (now >= 1) run(false);
      else frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  }
  play.addEventListener('click', () => run(play.textContent === 'Play'));
  slider.addEventListener('input', () => {
    run(false);
    move(+slider.value);
  });

  function ticks() {
    const [name, size] = unit((to - from) / 2), count = (to - from) / size;
    const step = [1, 2, 5, 10, 20, 50, 100, 200].find(n => count / n <= 7) ?? 500;
    return Array.from({ length: Math.floor(count / step) + 1 }, (_, k) => {
      const tick = element('span', 'across', `${k * step} ${name}`);
      tick.style.left = 100 * k * step / count + '%';
      return tick;
    });
  }

  return {
    show(sides) {
      run(false);
      [from, to] = span(sides);
      const customers = [...new Set(sides[0].queue.map(job => job.class))].sort();
      words.textContent = `The same ${time(to - from)} of jobs under both, and what the jobs that ended in it delivered. `
        + 'Blank: idle, or down. A click names a job.';
      shown = sides.map((side, i) => {
        const counter = element('b'), name = (i ? '' : 'Today: ') + side.name + ' ';
        const plot = element('div', 'plot', drawn(side, customers), element('i', 'curtain'), ...ticks());
        const figure = element('figure', '', element('figcaption', '', name, counter), plot);
        both.children[i]?.remove();
        both.insertBefore(figure, both.children[i] ?? null);
        const ends = side.queue.filter(job => job.end >= from && job.end <= to).sort((a, b) => a.end - b.end);
        return { side, ends, counter };
      });
      legend.replaceChildren(...customers.filter(Boolean).map((name, i) => {
        const item = element('li', '', name);
        item.style.setProperty('--c', `var(--c${i % colors + 1})`);
        return item;
      }));
      pick('');
      move(now);
    },
  };
};
