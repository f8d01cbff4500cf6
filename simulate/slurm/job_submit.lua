
-- The hash works modulo the prime 2^31 - 1. All products stay below 2^53, so that
-- they are exact in the doubles of Lua 5.1 and in every later Lua.
local P = 2147483647

local function mul(a, b)
  local low = a % 65536
  return ((a - low) / 65536 * b % P * 65536 + low * b) % P
end

-- lot returns a number from 0 to 1, 1 excluded, that depends on the text alone.
local function lot(text)
  local h = 1
  for i = 1, #text + 4 do
    local x = (h + (text:byte(i) or 0) + 1) % P
    local square = mul(x, x)
    h = mul(mul(square, square), x)
  end
  return h / P
end

-- number returns a field, nil where the user has not set it.
local function number(x, unset)
  if type(x) == "number" and x < (unset or 4294967294) then return x end
end

local function written(x)
  if type(x) == "number" then return string.format("%.0f", x) end
  return tostring(x or "")
end

local asked = { "partition", "qos", "min_nodes", "max_nodes", "min_cpus", "num_tasks", "cpus_per_task", "ntasks_per_node",
  "time_limit", "features", "licenses", "reservation", "pn_min_memory", "tres_per_job", "tres_per_node", "tres_per_socket",
  "tres_per_task", "array_inx" }

-- seen returns what is known of a job at submission.
local function seen(job, parts)
  local s = { partition = job.partition, user = job.user_name }
  s.account = string.lower(job.account or job.default_account or "")
  s.qos = string.lower(job.qos or job.default_qos or "")
  for name, part in pairs(parts or {}) do
    if not job.partition and (number(part.flag_default) or 0) > 0 then s.partition = name end
  end
  local part = parts and s.partition and parts[s.partition]
  local limit = number(job.time_limit) or part and (number(part.default_time) or number(part.max_time))
  s.estimate = limit and limit * 60
  local nodes = number(job.min_nodes) or 1
  local tasks = (number(job.num_tasks) or 1) * (number(job.cpus_per_task, 65534) or 1)
  s.width = unit == "nodes" and nodes or math.max(nodes, tasks, number(job.min_cpus) or 1)
  local list = { written(job.user_id), s.account, os.date("%Y-%m-%d") }
  for _, name in ipairs(asked) do list[#list + 1] = written(job[name]) end
  s.text = table.concat(list, "\31")
  return s
end

local function within(range, x) return not range or x and range[1] <= x and x <= range[2] end

local function among(names, x) return not names or x and names[x] or false end

local function anyof(names, list)
  if not names then return true end
  for name in string.gmatch(list or "", "[^,]+") do
    if names[name] then return true end
  end
  return false
end

local function customer(s)
  for i, c in ipairs(customers) do
    if among(c.account, s.account) and anyof(c.partition, s.partition) and among(c.qos, s.qos) and among(c.user, s.user)
      and within(c.width, s.width) and within(c.estimate, s.estimate)
      and (not c.share or lot(salt .. "\31share " .. i .. "\31" .. s.text) < c.share) then
      return c
    end
  end
end

-- refusal returns why a job is refused, nil where it is let in.
local function refusal(job, parts)
  local s = seen(job, parts)
  local c = customer(s)
  if not c then return end
  if c.admit <= 0 then
    return "jobs of " .. c.name .. " are not let in: other jobs pay more for the time of the cluster"
  end
  if lot(salt .. "\31" .. s.text) >= c.admit then
    return string.format("%.4g %% of the jobs of %s are let in, by lot, and this one is not: the same job gets the same answer until midnight", 100 * c.admit, c.name)
  end
end

function slurm_job_submit(job, parts, submit_uid)
  local ok, why = pcall(refusal, job, parts)
  if not ok then -- a fault here must not stop the cluster
    slurm.log_error("revopt: %s", tostring(why))
    return slurm.SUCCESS
  end
  if why then
    slurm.log_info("revopt: %s job of user %s: %s", dry_run and "would refuse a" or "refused a", written(job.user_id), why)
    if not dry_run then
      slurm.log_user("revopt: %s", why)
      return slurm.ESLURM_ACCESS_DENIED or slurm.ERROR
    end
  end
  return slurm.SUCCESS
end

function slurm_job_modify(job, record, parts, modify_uid)
  return slurm.SUCCESS
end

return slurm.SUCCESS
